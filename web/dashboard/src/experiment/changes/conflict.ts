// Messages for conflicts with another user's change.

import type { QueryClient } from "@tanstack/react-query";
import { ApiFailure } from "~/api/failure";
import { outdateExperiment } from "../open";

const SENTENCES: Record<string, string> = {
  precondition_failed: "Somebody else has changed this experiment since you began.",
  proposal_outdated: "The experiment has changed since this was proposed. The changes are shown here now.",
  proposal_decided: "Somebody else has already decided on this proposal.",
};

/**
 * Converts an error to a message for the user if it is about another user's change. In that case the experiment has
 * been read again.
 *
 * `next` is a sentence on what to do.
 */
export async function inWords(thrown: unknown, cache: QueryClient, next = "Look at it again."): Promise<unknown> {
  if (!(thrown instanceof ApiFailure)) return thrown;
  const sentence = SENTENCES[thrown.code];
  if (sentence === undefined) return thrown;
  await outdateExperiment(cache);
  const { status, code, requestId } = thrown;
  return new ApiFailure(`${sentence} ${next}`, { status, code, ...(requestId !== undefined && { requestId }) });
}
