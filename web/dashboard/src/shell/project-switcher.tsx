// Choice of the project. On a page of a project it leads to the same section of the other one; on the list it filters.

import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useSession } from "~/api/session";
import { names } from "~/lib/names";
import { Icon } from "~/ui/icon";
import { Menu, MenuItem, MenuLine } from "~/ui/menu";
import { useProject } from "./project";

export function ProjectSwitcher({ onChosen }: { onChosen: () => void }) {
  const session = useSession();
  const current = useProject();
  const navigate = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname });
  if (session.projects.length === 0) return <p className="px-2 font-medium text-soft">{session.company}</p>;

  const choose = (projectKey: string) => {
    onChosen();
    const section = /^\/p\/[^/]+\/([a-z-]+)/.exec(path)?.[1];
    const own = /^\/settings\/projects\/[^/]+/.test(path);
    if (own) void navigate({ to: "/settings/projects/$projectKey", params: { projectKey } });
    else if (section && section !== "experiments") void navigate({ to: `/p/${projectKey}/${section}` as "/" });
    else void navigate({ to: "/experiments", search: { project: [projectKey] } });
  };

  return (
    <Menu
      trigger={
        <button
          type="button"
          className="flex items-center gap-2 rounded-md px-2 py-1 text-left hover:bg-sunken data-popup-open:bg-sunken"
        >
          <span className="min-w-0 flex-1">
            <span className="block truncate text-sm text-soft">{session.company}</span>
            <span className="block truncate font-semibold">
              <span className="sr-only">Project: </span>
              {current?.name}
            </span>
          </span>
          <Icon name="chevronsUpDown" className="size-4 text-soft" />
        </button>
      }
    >
      {session.projects.map((project) => (
        <MenuItem key={project.project_key} onClick={() => choose(project.project_key)}>
          <span className={names("block truncate", project === current && "font-semibold")}>{project.name}</span>
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem
        icon="layers"
        onClick={() => {
          onChosen();
          void navigate({ to: "/settings/projects" });
        }}
      >
        All projects
      </MenuItem>
    </Menu>
  );
}
