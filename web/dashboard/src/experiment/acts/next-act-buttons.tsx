// Actions on an experiment, next to its state. The action that the server's sentence recommends is first.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button, ButtonLink } from "~/ui/button";
import { StopDialog } from "./act-dialogs";
import { ConcludeLink } from "./conclude-link";
import { nextAct } from "./next-act";
import { useExperiment, useLocked } from "../open";
import { ServeDialog } from "./serve-dialog";
import { standingQuery } from "../standing";

interface ButtonsProps {
  /** Further links next to the buttons. */
  children?: ReactNode;
  /** True on the page of the results, which needs no button that leads to it. */
  isResults?: boolean;
}

export function NextActButtons({ children, isResults = false }: ButtonsProps) {
  const { projectKey, experiment } = useExperiment();
  const locked = useLocked();
  const standing = useQuery(standingQuery(projectKey, experiment.test_id)).data;
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const next = standing && locked === undefined ? nextAct(standing, experiment.epochs.length > 0) : undefined;
  const params = { projectKey, testId: String(experiment.test_id) };
  return (
    <div className="flex flex-wrap gap-2">
      {next?.act === "launch" && (
        <ButtonLink kind="primary" to="/p/$projectKey/experiments/$testId/launch" params={params}>
          {next.name}
        </ButtonLink>
      )}
      {(next?.act === "serve" || next?.act === "stop") && (
        <Button kind="primary" onClick={() => setOpen(true)}>
          {next.name}
        </Button>
      )}
      {isOpen && next?.act === "serve" && <ServeDialog arm={next.arm} onClose={close} />}
      {isOpen && next?.act === "stop" && <StopDialog onClose={close} />}
      {children}
      {!isResults && experiment.epochs.length > 0 && (
        <ButtonLink
          kind={next?.act === "results" ? "primary" : "plain"}
          to="/p/$projectKey/experiments/$testId/results"
          params={params}
        >
          {next?.act === "results" ? next.name : "See the results"}
        </ButtonLink>
      )}
      <ConcludeLink isPrimary={next?.act === "conclude"} />
    </div>
  );
}
