// Changes of groups that would move visitors of live experiments: the server reports which visitors, and the user
// accepts or cancels.

import { capital } from "~/lib/capital";
import { useState } from "react";
import { ApiFailure } from "~/api/failure";
import { ConfirmDialog } from "~/ui/dialog";

interface Question {
  /** The server's message on which visitors would be moved. */
  about: string;
  act: string;
  accept: () => Promise<unknown>;
}

/**
 * Tries a change, and asks if it would move visitors. `attempt` returns whether it was done at once. The page must
 * render `dialog`.
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
        Moved visitors see something else from now on. Each live experiment begins a new epoch. Visitors who entered
        before are counted where they entered.
      </p>
    </ConfirmDialog>
  );
  return { attempt, dialog };
}

/**
 * The server's message without its beginning, which is in the title, and without its last sentence, which is for
 * programs.
 */
function whom(message: string): string {
  const end = message.lastIndexOf('. Send "accept_moves"');
  const text = (end < 0 ? message : `${message.slice(0, end)}.`).replace(/^this moves visitors: /, "");
  return capital(text);
}
