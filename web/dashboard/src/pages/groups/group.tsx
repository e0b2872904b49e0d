// One exclusion group or holdout: its fields, and the result of a holdout.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { ApiFailure } from "~/api/failure";
import { send } from "~/api/query";
import { may, useSession } from "~/api/session";
import { FormText } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { moment } from "~/lib/format";
import { FormGuard } from "~/ui/form/guard";
import { usePageTitle } from "~/lib/page";
import { GROUP_KIND } from "~/lib/words";
import { Button } from "~/ui/button";
import { ConfirmDialog } from "~/ui/dialog";
import { Card, Empty, Page, PageHeader } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { toast } from "~/ui/toast";
import { HoldoutFields } from "./holdout-fields";
import { HoldoutResultCard } from "./holdout-result";
import { GroupLine } from "./line";
import { MembersField } from "./members";
import { useMoves } from "./moves";
import { type Group, groupsQuery, outdateGroups } from "~/experiment/exclusion-groups";
import { asSent, type GroupValues, valuesOf } from "./values";

export function GroupPage() {
  const { projectKey, groupId } = useParams({ from: "/app/p/$projectKey/groups/$groupId" });
  const groups = useQuery(groupsQuery(projectKey));
  const find = (all: Group[]) => all.find(({ group_id: id }) => String(id) === groupId);
  usePageTitle(groups.data && (find(groups.data.exclusion_groups)?.name ?? "Group"));
  return (
    <Page width="form">
      <Loaded query={groups}>
        {({ exclusion_groups: all }) => {
          const group = find(all);
          return group ? <OneGroup projectKey={projectKey} group={group} /> : <Gone projectKey={projectKey} />;
        }}
      </Loaded>
    </Page>
  );
}

function Above({ projectKey }: { projectKey: string }) {
  return (
    <Link to="/p/$projectKey/groups" params={{ projectKey }} className="link">
      Groups and holdouts
    </Link>
  );
}

function Gone({ projectKey }: { projectKey: string }) {
  return (
    <>
      <PageHeader title="Group" above={<Above projectKey={projectKey} />} />
      <Card>
        <Empty icon="split" title="This group does not exist">
          It was deleted, or the address is wrong. The list shows all groups of the project.
        </Empty>
      </Card>
    </>
  );
}

interface GroupProps {
  projectKey: string;
  group: Group;
}

function OneGroup({ projectKey, group }: GroupProps) {
  const mayWrite = may(useSession(), projectKey, "write");
  const { text, about } = GROUP_KIND[group.kind];
  return (
    <>
      <PageHeader
        title={group.name}
        above={<Above projectKey={projectKey} />}
        about={`${text}, since ${moment(group.since ?? group.created_at)}. ${about}`}
      />
      <GroupForm
        projectKey={projectKey}
        group={group}
        locked={mayWrite ? undefined : "Your role in this project can view everything, but change nothing."}
      />
      {group.kind === "holdout" && <HoldoutResultCard projectKey={projectKey} group={group} />}
    </>
  );
}

const LABELS: Record<keyof GroupValues, string> = {
  name: "Name",
  members: "Experiments and their shares",
  percent: "Visitors who are held out, in percent",
  scope: "Experiments that held-out visitors do not enter",
};

function GroupForm({ projectKey, group, locked }: GroupProps & { locked: string | undefined }) {
  const moves = useMoves();
  const stored = valuesOf(group);
  const save = useSaveGroup(projectKey, group);
  const form = useForm<GroupValues>({
    name: `group/${projectKey}/${group.group_id}`,
    stored,
    submit: async (_, changes) => {
      const isDone = await moves.attempt("Move them and save", async (acceptsMoves) => {
        await save(changes, acceptsMoves);
        if (acceptsMoves) form.reset();
      });
      return isDone ? undefined : "keep";
    },
  });
  return (
    <Card>
      <FormView
        form={form}
        act="Save group"
        labels={LABELS}
        locked={locked}
        aside={<DeleteGroup projectKey={projectKey} group={group} discard={form.reset} />}
      >
        <FormText form={form} name="name" label={LABELS.name} maxLength={255} required />
        {group.kind === "exclusion" ? (
          <MembersField
            form={form}
            projectKey={projectKey}
            line={(nameOf) => <GroupLine group={group} nameOf={nameOf} />}
          />
        ) : (
          <HoldoutFields form={form} projectKey={projectKey} />
        )}
        <FormGuard form={form} />
      </FormView>
      {moves.dialog}
    </Card>
  );
}

/**
 * Saves changes of a group. Groups have no entity tag, so this first reads the group again and compares the changed
 * fields.
 */
function useSaveGroup(projectKey: string, group: Group) {
  const cache = useQueryClient();
  return async (changes: Partial<GroupValues>, acceptsMoves: boolean) => {
    const { exclusion_groups: all } = await cache.fetchQuery({ ...groupsQuery(projectKey), staleTime: 0 });
    const now = all.find(({ group_id: id }) => id === group.group_id);
    if (now === undefined) throw new ApiFailure("This group was deleted by somebody else.", { status: 404 });
    const [before, after] = [valuesOf(group), valuesOf(now)];
    const names = Object.keys(changes) as (keyof GroupValues)[];
    if (names.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])))
      throw new ApiFailure("Somebody else has changed this group. Check it and save again.", {
        status: 412,
      });
    await send("patch", "/v2/project/{project_key}/exclusion-group/{group_id}", {
      params: { path: { project_key: projectKey, group_id: group.group_id } },
      body: { ...asSent(changes), ...(acceptsMoves && { accept_moves: true }) },
    });
    await outdateGroups(cache);
    toast("The group was saved.");
  };
}

function DeleteGroup({ projectKey, group, discard }: GroupProps & { discard: () => void }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const moves = useMoves();
  const [isAsked, setAsked] = useState(false);
  const run = async (acceptsMoves: boolean) => {
    await send("delete", "/v2/project/{project_key}/exclusion-group/{group_id}", {
      params: {
        path: { project_key: projectKey, group_id: group.group_id },
        ...(acceptsMoves && { query: { accept_moves: true } }),
      },
    });
    toast(`${group.name} was deleted.`);
    // Discard the typed values: there is nothing to save them to.
    discard();
    await navigate({ to: "/p/$projectKey/groups", params: { projectKey }, ignoreBlocker: true });
    await outdateGroups(cache);
  };
  return (
    <>
      <Button kind="quiet" className="ml-auto" onClick={() => setAsked(true)}>
        Delete group
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={`Delete ${group.name}?`}
        act="Delete group"
        onConfirm={() => moves.attempt("Move them and delete", run)}
      >
        <p>
          {group.kind === "exclusion"
            ? "All visitors can enter its experiments again, and can meet several of them."
            : "Visitors who were held out can enter its experiments again, and its result is lost."}{" "}
          This cannot be undone: a new group picks other visitors.
        </p>
      </ConfirmDialog>
      {moves.dialog}
    </>
  );
}
