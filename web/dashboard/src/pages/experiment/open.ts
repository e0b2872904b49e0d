// The experiment whose pages are open: read once by their frame, saved from any of them.

import type { QueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { outdate, type Schemas, taggedQuery } from "~/api/query";
import { may, useSession } from "~/api/session";

export type Experiment = Schemas["ExperimentDetails"];
/** The fields of an update. Only those that are sent change. */
export type Changes = Schemas["ExperimentPatch"];

export interface OpenExperiment {
  projectKey: string;
  experiment: Experiment;
  /** Of what was read: a change that is based on it is refused once somebody else has made one. */
  etag: string | undefined;
}

export const EXPERIMENT = "/v2/project/{project_key}/experiment/{test_id}" as const;

export function experimentQuery(projectKey: string, testId: number) {
  return taggedQuery(EXPERIMENT, {
    path: { project_key: projectKey, test_id: testId },
  });
}

export const ExperimentContext = createContext<OpenExperiment | undefined>(undefined);

/** The experiment, on its pages. */
export function useExperiment(): OpenExperiment {
  const open = useContext(ExperimentContext);
  if (open === undefined) throw new Error("there is no experiment outside of its pages");
  return open;
}

/** Why the experiment cannot be changed by who is signed in, if so. */
export function useLocked(): string | undefined {
  const { projectKey } = useExperiment();
  return may(useSession(), projectKey, "write")
    ? undefined
    : "Your role in this project can view everything, but change nothing.";
}

export interface SaveOptions {
  /** Objects such as `configuration` keep the keys that are not sent. */
  merge?: boolean;
}

/**
 * Saves changes of the experiment, as the `submit` of a form wants it. Where visitors meet the experiment, what the change does is shown
 * before; `keep` says that somebody thought better of it. A conflict is thrown once the other state was read.
 */
export type Save = (changes: Changes, options?: SaveOptions) => Promise<"keep" | undefined>;

/** What the frame of the experiment gives to the forms in it; see change-dialog.tsx. */
export const SaveContext = createContext<Save | undefined>(undefined);

export function useSave(): Save {
  const save = useContext(SaveContext);
  if (save === undefined) throw new Error("nothing is saved outside of the pages of an experiment");
  return save;
}

/** Whether visitors meet the experiment: it is live, or its winner is served. */
export function isMet({ status, is_deploy }: Experiment): boolean {
  return status === 1 || is_deploy === 1;
}

/** Every answer that a change of an experiment makes old. Results take long at times, and are not waited for. */
export function outdateExperiment(cache: QueryClient): Promise<void> {
  void outdate(cache, `${EXPERIMENT}/result`, `${EXPERIMENT}/timeseries`);
  return outdateExperimentAlone(cache);
}

/** The same but the result: where it is the result that has told of the change. */
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
