// Watches an experiment: watchers get its events in their inbox.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { failureFrom } from "~/api/failure";
import { query, send } from "~/api/query";
import { count } from "~/lib/format";
import { Button } from "~/ui/button";
import { toast } from "~/ui/toast";
import { useExperiment } from "~/experiment/open";

export const WATCH = "/v2/project/{project_key}/experiment/{test_id}/watch";

export function WatchButton() {
  const { projectKey, experiment } = useExperiment();
  const cache = useQueryClient();
  const path = { project_key: projectKey, test_id: experiment.test_id };
  const of = query(WATCH, { path });
  const { data, isError, refetch } = useQuery({ ...of, staleTime: 60_000 });
  const [isBusy, setBusy] = useState(false);
  // While the state is unknown, the button keeps its place, so that nothing moves.
  const watching = data?.watching ?? false;
  const turn = async () => {
    const { data: now } = await send(watching ? "delete" : "put", WATCH, { params: { path } });
    cache.setQueryData(of.queryKey, now);
  };
  // If the state could not be read, read it again before it can be changed.
  const press = async () => {
    setBusy(true);
    try {
      if (data === undefined) await refetch({ throwOnError: true });
      else await turn();
    } catch (thrown) {
      toast(`Watching was not changed: ${failureFrom(thrown).message}`, "bad");
    } finally {
      setBusy(false);
    }
  };
  const others = data === undefined ? "" : ` ${watchers(data.watchers)}`;
  return (
    <Button
      icon={watching ? "check" : "bell"}
      isBusy={isBusy}
      disabled={data === undefined && !isError && !isBusy}
      onClick={press}
      aria-label={watching ? "Watching: press to unwatch" : undefined}
      title={watching ? `You get its events in your inbox.${others}` : `Get its events in your inbox.${others}`}
    >
      {watching ? "Watching" : "Watch"}
    </Button>
  );
}

function watchers(number: number): string {
  if (number === 0) return "Nobody watches it.";
  return `${count(number, "person watches", "people watch")} it.`;
}
