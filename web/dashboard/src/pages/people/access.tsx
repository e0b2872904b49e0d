// Choice of a role and of projects, for invitations and people.

import { rolesUpTo, useSession } from "~/api/session";
import type { Schemas } from "~/api/query";
import { FormRadios } from "~/ui/form/fields";
import type { Form } from "~/ui/form/form";
import { ROLE } from "~/lib/words";
import { Choice, Choices, Select } from "~/ui/field";

type Role = Schemas["RoleName"];

export interface Access {
  role: Role;
  /** Roles by project; null for every project. */
  projects: { project_key: string; role: Role }[] | null;
}

export function AccessFields<V extends Access>({ form: typed }: { form: Form<V> }) {
  const form = typed as unknown as Form<Access>;
  const session = useSession();
  const { role, projects } = form.values;
  const roles = rolesUpTo(session.role);
  const isLimited = projects !== null;
  const set = (key: string, on: boolean, as: Role = role) => {
    const others = (projects ?? []).filter((one) => one.project_key !== key);
    form.set("projects", on ? [...others, { project_key: key, role: as }] : others);
  };
  return (
    <>
      <FormRadios
        form={form}
        name="role"
        legend="Role"
        choices={roles.map((one) => [one, ROLE[one].text, ROLE[one].about])}
      />
      {role !== "owner" && session.projects.length > 0 && (
        <Choices legend="Projects" error={form.errorOf("projects")}>
          <Choice
            kind="radio"
            name="projects"
            label="All projects, also future ones"
            checked={!isLimited}
            onChange={() => form.set("projects", null)}
          />
          <Choice
            kind="radio"
            name="projects"
            label="Some projects"
            checked={isLimited}
            onChange={() => form.set("projects", projects ?? [])}
          />
          {projects !== null && (
            <ul className="ml-6 flex flex-col gap-2">
              {session.projects.map(({ project_key, name }) => {
                const chosen = projects.find((one) => one.project_key === project_key);
                return (
                  <li key={project_key} className="flex flex-wrap items-center justify-between gap-2">
                    <Choice
                      label={name}
                      checked={chosen !== undefined}
                      onChange={({ target }) => set(project_key, target.checked)}
                    />
                    {chosen && (
                      <Select
                        label={`Role in ${name}`}
                        hidesLabel
                        className="w-32"
                        value={chosen.role}
                        onChange={({ target }) => set(project_key, true, target.value as Role)}
                      >
                        {roles
                          .filter((one) => one !== "owner")
                          .map((one) => (
                            <option key={one} value={one}>
                              {ROLE[one].text}
                            </option>
                          ))}
                      </Select>
                    )}
                  </li>
                );
              })}
            </ul>
          )}
        </Choices>
      )}
    </>
  );
}

/** Value to send as `projects`: an owner has every project. */
export function projectsOf({ role, projects }: Access): Access["projects"] {
  return role === "owner" ? null : projects;
}
