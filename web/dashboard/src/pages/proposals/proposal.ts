// Proposals: their query, and what they are called in sentences.

import { query, type Schemas } from "~/api/query";
import type { Session } from "~/api/session";
import { count } from "~/lib/format";

export type Proposal = Schemas["Proposal"];

/** Those of an experiment, newest first, in every state. */
export function proposalsQuery(projectKey: string, testId: number) {
  return query("/v2/project/{project_key}/experiment/{test_id}/proposals", {
    path: { project_key: projectKey, test_id: testId },
    query: { limit: 50 },
  });
}

/** The status that is proposed; undefined for a change of fields. */
export function statusOf({ body }: Proposal): Schemas["StatusCode"] | undefined {
  const { status } = body as { status?: Schemas["StatusCode"] };
  return status;
}

/** What is proposed, after "proposed to". */
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

/** Whether it is of who is signed in, who cannot decide it. */
export function isOwn({ proposed_by }: Proposal, { person }: Session): boolean {
  return proposed_by.kind === "person" && proposed_by.id === String(person.person_id);
}

/** Whether it cannot be approved, as the experiment has changed since. */
export function isOutdated({ state, changed_since }: Proposal): boolean {
  return state === "open" && changed_since.length > 0;
}
