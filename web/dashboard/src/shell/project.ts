// The current project: the one in the address, else the most recent one.

import { useParams, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import type { Schemas } from "~/api/query";
import { useSession } from "~/api/session";

export type Project = Schemas["SessionProject"];

const KEY = "muriel-project";

/** The project in the address: of a page of a project, or of the list when it is filtered by one. */
function useAddressed(): string | undefined {
  const { projectKey } = useParams({ strict: false });
  const { project } = useSearch({ strict: false }) as { project?: unknown };
  return projectKey ?? (Array.isArray(project) && project.length === 1 ? project[0] : undefined);
}

/** The current project; undefined if the company has none. */
export function useProject(): Project | undefined {
  const { projects } = useSession();
  const addressed = useAddressed();
  const last = localStorage.getItem(KEY);
  useEffect(() => {
    if (addressed !== undefined && projects.some((one) => one.project_key === addressed)) {
      localStorage.setItem(KEY, addressed);
    }
  }, [addressed, projects]);
  const named = (key: string | null | undefined) => projects.find((one) => one.project_key === key);
  return named(addressed) ?? named(last) ?? projects[0];
}
