// The checklist of an experiment: its query, the names of the checks, and where each can be fixed.

import type { LinkProps } from "@tanstack/react-router";
import { query, type Schemas } from "~/api/query";
import { capital } from "~/lib/capital";
import { own } from "~/lib/own";

export type Check = Schemas["ChecklistItem"];

export function checklistQuery(projectKey: string, testId: number) {
  return query("/v2/project/{project_key}/experiment/{test_id}/checklist", {
    path: { project_key: projectKey, test_id: testId },
  });
}

const EXPERIMENT = "/p/$projectKey/experiments/$testId";

interface CheckPlace {
  name: string;
  /** Page on which the check can be fixed, and the text of the link to it. */
  to?: LinkProps["to"];
  go?: string;
}

// Pages are named by strings: the compiler cannot follow the router's types through a record.
const place = (name: string, to?: string, go?: string) => ({ name, to, go }) as CheckPlace;

export const CHECKS: Record<Schemas["ChecklistCheck"], CheckPlace> = {
  lifecycle: place("Status"),
  approval: place("Approval", `${EXPERIMENT}/proposals`, "Proposals"),
  code: place("Code", `${EXPERIMENT}/setup/variants`, "Variants"),
  script: place("Script on the page", "/p/$projectKey/install", "Install"),
  preview: place("Previews", `${EXPERIMENT}/setup/variants`, "Variants"),
  goals: place("Goals", `${EXPERIMENT}/setup/goals`, "Goals"),
  audience: place("Audience", `${EXPERIMENT}/setup/audience`, "Audience"),
  weights: place("Traffic", `${EXPERIMENT}/setup/traffic`, "Traffic"),
  power: place("Sample size", `${EXPERIMENT}/setup/review`, "Review"),
  collisions: place("Other experiments", "/p/$projectKey/groups", "Groups"),
};

/** Returns the name and place of a check. A check that this version does not know has the server's name. */
export function checkPlace(check: string): CheckPlace {
  return own(CHECKS, check) ?? { name: capital(check.replaceAll("_", " ")) };
}

/**
 * Checks that block a start. The approval by a second person is not one of them, because it is requested by a proposal.
 */
export function obstacles(items: readonly Check[]): Check[] {
  return items.filter(({ check, status }) => status === "blocked" && check !== "approval");
}

/** Returns whether a second person has to approve the start. */
export function asksApproval(items: readonly Check[]): boolean {
  return items.some(({ check, status }) => check === "approval" && status === "blocked");
}
