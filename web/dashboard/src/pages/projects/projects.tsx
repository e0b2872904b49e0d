// Projects of the company that the user can see.

import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { outdate, send } from "~/api/query";
import { isAtLeast, useRefreshSession, useSession } from "~/api/session";
import { FormText } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { usePageTitle } from "~/lib/page";
import { ROLE } from "~/lib/words";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { Card, Empty, Page, PageHeader } from "~/ui/layout";
import { Table } from "~/ui/table";
import { toast } from "~/ui/toast";

export function ProjectsPage() {
  usePageTitle("Projects");
  const session = useSession();
  const [isAdding, setAdding] = useState(false);
  const add = isAtLeast(session.role, "admin") && (
    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
      New project
    </Button>
  );
  return (
    <Page>
      <PageHeader
        title="Projects"
        about="A project is a site or an app with its own experiments, goals and hypotheses."
        actions={session.projects.length > 0 && add}
      />
      <Card flush>
        {session.projects.length > 0 ? (
          <Table
            label="Projects"
            rows={session.projects}
            keyOf={(project) => project.project_key}
            columns={[
              {
                name: "Name",
                isName: true,
                cell: (project) => (
                  <Link
                    to="/settings/projects/$projectKey"
                    params={{ projectKey: project.project_key }}
                    className="link font-medium"
                  >
                    {project.name}
                  </Link>
                ),
              },
              {
                name: "Key",
                cell: (project) => <code className="font-mono text-sm break-all">{project.project_key}</code>,
              },
              {
                name: "Your role",
                cell: (project) => (project.role ? ROLE[project.role].text : ROLE[session.role].text),
              },
            ]}
          />
        ) : (
          <Empty icon="layers" title="No projects yet" action={add}>
            {add ? "Create one to begin." : "Ask an admin for access to a project."}
          </Empty>
        )}
      </Card>
      <NewProjectDialog isOpen={isAdding} onClose={() => setAdding(false)} />
    </Page>
  );
}

function NewProjectDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const cache = useQueryClient();
  const refreshSession = useRefreshSession();
  const navigate = useNavigate();
  const form = useForm({
    stored: { name: "" },
    submit: async (values) => {
      const { data } = await send("post", "/v2/projects", { body: values });
      await Promise.all([refreshSession(), outdate(cache, "/v2/projects", "/v2/audit")]);
      toast(`${values.name} was created.`);
      onClose();
      await navigate({ to: "/settings/projects/$projectKey", params: { projectKey: data.project_key } });
    },
  });
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="New project">
      <FormView form={form} act="Create project" isAlwaysReady>
        <FormText form={form} name="name" label="Name" maxLength={255} required autoComplete="off" />
      </FormView>
    </Dialog>
  );
}
