// The experiment whose pages are open. Their frame reads it once, and each page can save it.

import type { QueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { outdate, type Schemas, taggedQuery } from "~/api/query";
import { may, useSession } from "~/api/session";

export type Experiment = Schemas["ExperimentDetails"];
/** Fields of an update. Only the fields that are sent change. */
export type Changes = Schemas["ExperimentPatch"];

export interface OpenExperiment {
  projectKey: string;
  experiment: Experiment;
  /**
   * Entity tag of the experiment that was read. A change with it is refused if somebody else has changed the
   * experiment.
   */
  etag: string | undefined;
}

export const EXPERIMENT = "/v2/project/{project_key}/experiment/{test_id}" as const;

export function experimentQuery(projectKey: string, testId: number) {
  return taggedQuery(EXPERIMENT, {
    path: { project_key: projectKey, test_id: testId },
  });
}

export const ExperimentContext = createContext<OpenExperiment | undefined>(undefined);

/** Returns the experiment, on its pages. */
export function useExperiment(): OpenExperiment {
  const open = useContext(ExperimentContext);
  if (open === undefined) throw new Error("useExperiment must be used within the pages of an experiment");
  return open;
}

/** Reason why the user cannot change the experiment; undefined if they can. */
export function useLocked(): string | undefined {
  const { projectKey } = useExperiment();
  return may(useSession(), projectKey, "write")
    ? undefined
    : "Your role in this project can view everything, but change nothing.";
}

export interface SaveOptions {
  /** True when objects such as `configuration` keep the keys that are not sent. */
  merge?: boolean;
}

/**
 * Saves changes of the experiment; a form can return its result from `submit`. If visitors meet the experiment, the
 * user first sees the effect of the change. The result is `keep` if the user cancels. A conflict is thrown after the
 * new state was read.
 */
export type Save = (changes: Changes, options?: SaveOptions) => Promise<"keep" | undefined>;

/** Save function that the frame of the experiment provides to its forms; see change-dialog.tsx. */
export const SaveContext = createContext<Save | undefined>(undefined);

export function useSave(): Save {
  const save = useContext(SaveContext);
  if (save === undefined) throw new Error("useSave must be used within the pages of an experiment");
  return save;
}

/** Returns whether visitors meet the experiment: it is live, or its winner is served. */
export function isMet({ status, is_deploy }: Experiment): boolean {
  return status === 1 || is_deploy === 1;
}

/** Invalidates every answer that a change of an experiment affects. Results can be slow, so they are not awaited. */
export function outdateExperiment(cache: QueryClient): Promise<void> {
  void outdate(cache, `${EXPERIMENT}/result`, `${EXPERIMENT}/timeseries`);
  return outdateExperimentAlone(cache);
}

/** Like `outdateExperiment`, without the result: for changes that the result itself has reported. */
export function outdateExperimentAlone(cache: QueryClient): Promise<void> {
  const of = EXPERIMENT;
  return outdate(
    cache,
    of,
    `${of}/history`,
    `${of}/checklist`,
    `${of}/conclusion`,
    `${of}/distribution`,
    `${of}/explain`,
    `${of}/plan`,
    `${of}/preview-urls`,
    `${of}/proposals`,
    "/v2/project/{project_key}/proposals",
    "/v2/overview",
    "/v2/programme",
  );
}
