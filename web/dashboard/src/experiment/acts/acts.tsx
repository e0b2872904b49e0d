// Actions on a whole experiment: the status as one button, the others in a menu.

import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { may, useSession } from "~/api/session";
import { Button, IconButton } from "~/ui/button";
import { Menu, MenuItem, MenuLine } from "~/ui/menu";
import { ArchiveDialog, DeleteDialog, ReopenDialog, StopDialog, StopServingDialog } from "./act-dialogs";
import { DuplicateDialog } from "./duplicate-dialog";
import { type Experiment, useExperiment } from "../open";
import { ServeDialog } from "./serve-dialog";
import { StartDialog } from "./start-dialog";

type Act = "start" | "stop" | "duplicate" | "archive" | "delete" | "serve" | "stop-serving" | "reopen";

export interface StatusAct {
  act: "start" | "stop";
  name: "Start" | "Resume" | "Stop";
}

/** Next action on the status; undefined once the experiment is concluded. */
export function statusAct(experiment: Experiment): StatusAct | undefined {
  if (experiment.is_completed === 1) return undefined;
  if (experiment.status === 1) return { act: "stop", name: "Stop" };
  return { act: "start", name: experiment.epochs.length > 0 ? "Resume" : "Start" };
}

export function ExperimentActs() {
  const { projectKey, experiment } = useExperiment();
  const [act, setAct] = useState<Act>();
  if (!may(useSession(), projectKey, "write")) return null;
  const status = statusAct(experiment);
  return (
    <>
      {status && (
        <Button icon={status.act === "stop" ? "stop" : "play"} onClick={() => setAct(status.act)}>
          {status.name}
        </Button>
      )}
      <Menu align="end" trigger={<IconButton icon="more" kind="plain" label="More actions" />}>
        <MoreItems experiment={experiment} choose={setAct} />
      </Menu>
      <ActDialog act={act} close={() => setAct(undefined)} />
    </>
  );
}

function MoreItems({ experiment, choose }: { experiment: Experiment; choose: (act: Act) => void }) {
  const isServed = experiment.is_deploy === 1;
  const isMet = experiment.status === 1 || isServed;
  return (
    <>
      <MenuItem onClick={() => choose("duplicate")}>Duplicate</MenuItem>
      {experiment.status !== 9 && (
        <MenuItem onClick={() => choose("serve")}>
          {isServed ? "Change who gets the winner" : "Serve a winner to visitors"}
        </MenuItem>
      )}
      {isServed && <MenuItem onClick={() => choose("stop-serving")}>Stop serving the winner</MenuItem>}
      {experiment.is_completed === 1 && <MenuItem onClick={() => choose("reopen")}>Reopen</MenuItem>}
      <MenuLine />
      <MenuItem icon="archive" isDisabled={isMet && !experiment.archived} onClick={() => choose("archive")}>
        {experiment.archived ? "Take out of the archive" : isMet ? "Archive (stop it first)" : "Archive"}
      </MenuItem>
      <MenuItem danger onClick={() => choose("delete")}>
        Delete
      </MenuItem>
    </>
  );
}

function ActDialog({ act, close }: { act: Act | undefined; close: () => void }) {
  const navigate = useNavigate();
  switch (act) {
    case undefined:
      return null;
    case "start":
      return <StartDialog onClose={close} />;
    case "stop":
      return <StopDialog onClose={close} />;
    case "duplicate":
      return <DuplicateDialog onClose={close} />;
    case "archive":
      return <ArchiveDialog onClose={close} />;
    case "serve":
      return <ServeDialog onClose={close} />;
    case "stop-serving":
      return <StopServingDialog onClose={close} />;
    case "reopen":
      return <ReopenDialog onClose={close} />;
    case "delete":
      return <DeleteDialog onClose={close} onDeleted={() => navigate({ to: "/experiments" })} />;
  }
}
