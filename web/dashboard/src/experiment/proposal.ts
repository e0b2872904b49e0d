// Proposals: their query, and their words in sentences.

import { query, type Schemas } from "~/api/query";
import type { Session } from "~/api/session";
import { count } from "~/lib/format";

export type Proposal = Schemas["Proposal"];

/** Proposals of an experiment, newest first, in every state. */
export function proposalsQuery(projectKey: string, testId: number) {
  return query("/v2/project/{project_key}/experiment/{test_id}/proposals", {
    path: { project_key: projectKey, test_id: testId },
    query: { limit: 50 },
  });
}

/** The proposed status; undefined for a change of fields. */
export function statusOf({ body }: Proposal): Schemas["StatusCode"] | undefined {
  const { status } = body as { status?: Schemas["StatusCode"] };
  return status;
}

/** Words for the proposed change, after "proposed to". */
export function whatOf(proposal: Proposal): string {
  const status = statusOf(proposal);
  if (status === 1) return "start it";
  if (status === 0) return "stop it";
  if (status === 9) return "make it a draft again";
  const fields = proposal.changes.length;
  return fields > 0 ? `change ${count(fields, "field")}` : "change it";
}

/** The open proposal to start the experiment. */
export function proposedStart(proposals: readonly Proposal[] | undefined): Proposal | undefined {
  return proposals?.find((proposal) => proposal.state === "open" && statusOf(proposal) === 1);
}

/** Returns whether the user is the author, who cannot decide the proposal. */
export function isOwn({ proposed_by }: Proposal, { person }: Session): boolean {
  return proposed_by.kind === "person" && proposed_by.id === String(person.person_id);
}

/** Returns whether the proposal cannot be approved because the experiment has changed since. */
export function isOutdated({ state, changed_since }: Proposal): boolean {
  return state === "open" && changed_since.length > 0;
}
