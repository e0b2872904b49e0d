// The result as files and on paper: the exact bytes of the answer, which `muriel verify` accepts, a table for
// spreadsheets, and the page itself.

import { useState } from "react";
import { readBytes } from "~/api/query";
import { fileName, saveFile } from "~/lib/save-file";
import { Button } from "~/ui/button";
import { ErrorPanel } from "~/ui/loaded";

interface DownloadsProps {
  projectKey: string;
  testId: number;
  /** For file names. */
  testName: string;
  /** Parameters of the shown result, so that the files are of the same visitors. */
  question: object;
}

type Format = "json" | "csv";

const RESULT = "/v2/project/{project_key}/experiment/{test_id}/result";

export function Downloads({ projectKey, testId, testName, question }: DownloadsProps) {
  const [busy, setBusy] = useState<Format>();
  const [failure, setFailure] = useState<unknown>();
  const save = async (format: Format) => {
    setBusy(format);
    setFailure(undefined);
    try {
      const params = { path: { project_key: projectKey, test_id: testId }, query: question };
      const blob = await readBytes(format === "csv" ? `${RESULT}.csv` : RESULT, params);
      saveFile(blob, fileName([testName, String(testId), "result"], format));
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(undefined);
    }
  };
  return (
    <div className="flex flex-col gap-3 print:hidden">
      <div className="flex flex-wrap items-center gap-2">
        <Button icon="download" isBusy={busy === "csv"} onClick={() => save("csv")}>
          Table as CSV
        </Button>
        <Button icon="download" isBusy={busy === "json"} onClick={() => save("json")}>
          Result as JSON
        </Button>
        <Button icon="receipt" onClick={() => print()}>
          Print
        </Button>
      </div>
      <p className="max-w-160 text-sm text-soft">
        <code>muriel verify FILE</code> recomputes the JSON result from the event log, and reports whether any number in
        it was changed.
      </p>
      {failure !== undefined && <ErrorPanel error={failure} />}
    </div>
  );
}
