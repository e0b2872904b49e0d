// The experiment whose pages are open: read once by their frame, saved from any of them.

import { useQueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { ApiFailure } from "~/api/failure";
import { outdate, type Schemas, send, taggedQuery } from "~/api/query";
import { may, useSession } from "~/api/session";
import { toast } from "~/ui/toast";

export type Experiment = Schemas["ExperimentDetails"];
/** The fields of an update. Only those that are sent change. */
export type Changes = Schemas["ExperimentPatch"];

export interface OpenExperiment {
  projectKey: string;
  experiment: Experiment;
  /** Of what was read: a change that is based on it is refused once somebody else has made one. */
  etag: string | undefined;
}

export function experimentQuery(projectKey: string, testId: number) {
  return taggedQuery("/v2/project/{project_key}/experiment/{test_id}", {
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
  return may(useSession(), projectKey, "write") ? undefined : "Your role in this project sees, and changes nothing.";
}

/** Saves changes of the experiment, as the `submit` of a form wants it. A conflict is thrown once the other state was read. */
export function useSave(): (changes: Changes) => Promise<void> {
  const cache = useQueryClient();
  const { projectKey, experiment, etag } = useExperiment();
  const path = { project_key: projectKey, test_id: experiment.test_id };
  return async (changes) => {
    try {
      const { warnings } = await send("patch", "/v2/project/{project_key}/experiment/{test_id}", {
        params: { path },
        body: changes,
        ifMatch: etag,
      });
      for (const warning of warnings) toast(warning, "caution");
      toast("Saved.");
    } catch (thrown) {
      if (thrown instanceof ApiFailure && thrown.status === 412) await outdateExperiment(cache);
      throw thrown;
    }
    await outdateExperiment(cache);
  };
}

/** Every answer that a change of an experiment makes old. */
export function outdateExperiment(cache: ReturnType<typeof useQueryClient>): Promise<void> {
  const of = "/v2/project/{project_key}/experiment/{test_id}" as const;
  return outdate(
    cache,
    of,
    `${of}/history`,
    `${of}/checklist`,
    `${of}/distribution`,
    `${of}/explain`,
    `${of}/plan`,
    `${of}/preview-urls`,
    "/v2/overview",
  );
}
