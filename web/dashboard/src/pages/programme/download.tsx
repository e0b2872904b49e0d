// The list as a spreadsheet file: everything that matches the filters, on all pages.

import { useState } from "react";
import { readCsv } from "~/api/query";
import { integer } from "~/lib/format";
import { saveFile } from "~/lib/save-file";
import { Button } from "~/ui/button";
import { ErrorPanel } from "~/ui/loaded";
import { asked, type ProgrammeFilters } from "./filters";

export function Download({ filters, total }: { filters: ProgrammeFilters; total: number }) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const save = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      const parts = await wholeCsv(filters);
      saveFile(new Blob(parts, { type: "text/csv;charset=utf-8" }), "learnings.csv");
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="flex min-w-0 flex-col items-end gap-2">
      <Button
        icon="download"
        isBusy={isBusy}
        onClick={save}
        title={`${integer(total)} experiments that match the filters`}
      >
        Download CSV
      </Button>
      {failure !== undefined && <ErrorPanel error={failure} retry={save} />}
    </div>
  );
}

/** All pages. Only the first one keeps its header row. */
async function wholeCsv(filters: ProgrammeFilters): Promise<string[]> {
  const parts: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await readCsv("/v2/programme.csv", { query: { ...asked(filters), cursor } });
    parts.push(parts.length === 0 ? page.csv : page.csv.slice(page.csv.indexOf("\n") + 1));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return parts;
}
