// Changes of groups that would move visitors of live experiments: the server says whom, and a person accepts it or does not.

import { capital } from "~/lib/capital";
import { useState } from "react";
import { ApiFailure } from "~/api/failure";
import { ConfirmDialog } from "~/ui/dialog";

interface Question {
  /** The server's words on who would be moved. */
  about: string;
  act: string;
  accept: () => Promise<unknown>;
}

/**
 * Tries something, and asks when it would move visitors. `attempt` says whether it was done at once; `dialog` has to be on the page.
 */
export function useMoves() {
  const [question, setQuestion] = useState<Question>();
  const attempt = async (act: string, run: (acceptsMoves: boolean) => Promise<unknown>): Promise<boolean> => {
    try {
      await run(false);
      return true;
    } catch (thrown) {
      if (!(thrown instanceof ApiFailure && thrown.code === "moves_visitors")) throw thrown;
      setQuestion({ about: whom(thrown.message), act, accept: () => run(true) });
      return false;
    }
  };
  const dialog = (
    <ConfirmDialog
      isOpen={question !== undefined}
      onClose={() => setQuestion(undefined)}
      title="This moves visitors"
      act={question?.act ?? ""}
      onConfirm={async () => question?.accept()}
    >
      <p className="break-words">{question?.about}</p>
      <p className="text-soft">
        Those who are moved meet something else from now on. Each live experiment begins a new epoch; visitors who
        entered before are counted where they entered.
      </p>
    </ConfirmDialog>
  );
  return { attempt, dialog };
}

/** The server's sentence without its beginning, which the title has, and without the one for programs at its end. */
function whom(message: string): string {
  const end = message.lastIndexOf('. Send "accept_moves"');
  const text = (end < 0 ? message : `${message.slice(0, end)}.`).replace(/^this moves visitors: /, "");
  return capital(text);
}
