// Button for a new experiment. With several projects, the user chooses one first.

import { Link } from "@tanstack/react-router";
import { may, useSession } from "~/api/session";
import { Button, ButtonLink } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { Menu, MenuItem, MenuLabel } from "~/ui/menu";

const TO = "/p/$projectKey/experiments/new";

/** `project` is the project of the page, if it has one. Not shown to users who cannot create experiments. */
export function NewExperimentButton({ project }: { project?: string | undefined }) {
  const session = useSession();
  const projects = session.projects.filter((one) => may(session, one.project_key, "write"));
  const only = projects.find((one) => one.project_key === project) ?? (projects.length === 1 ? projects[0] : undefined);
  if (only) {
    return (
      <ButtonLink kind="primary" icon="plus" to={TO} params={{ projectKey: only.project_key }}>
        New experiment
      </ButtonLink>
    );
  }
  if (projects.length === 0) return null;
  return (
    <Menu
      align="end"
      trigger={
        <Button kind="primary" icon="plus">
          New experiment
          <Icon name="chevronDown" className="size-3.5" />
        </Button>
      }
    >
      <MenuLabel>In which project?</MenuLabel>
      {projects.map(({ project_key, name }) => (
        <MenuItem key={project_key} link={<Link to={TO} params={{ projectKey: project_key }} />}>
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}
