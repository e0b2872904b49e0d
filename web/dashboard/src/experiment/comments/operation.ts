// Operations for comments: those of experiments and those of hypotheses are alike.

const EXPERIMENT = "/v2/project/{project_key}/experiment/{test_id}/comments";
const HYPOTHESIS = "/v2/project/{project_key}/hypothesis/{hypothesis_id}/comments";

export interface CommentsProps {
  kind: "experiment" | "hypothesis";
  projectKey: string;
  id: number;
  /** True when the user may comment. */
  canWrite: boolean;
}

/** The operation and its parameters. They are typed as those of experiments, because both have the same answers. */
export function operation({ kind, projectKey, id }: CommentsProps) {
  const of = kind === "experiment" ? { test_id: id } : { hypothesis_id: id };
  return {
    operation: (kind === "experiment" ? EXPERIMENT : HYPOTHESIS) as typeof EXPERIMENT,
    path: { project_key: projectKey, ...of } as { project_key: string; test_id: number },
  };
}
