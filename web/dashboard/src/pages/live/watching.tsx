// Stream of one visitor: the state of the connection, and the events.

import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { query } from "~/api/query";
import { count } from "~/lib/format";
import { Dot } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Card, Empty } from "~/ui/layout";
import { ErrorPanel } from "~/ui/loaded";
import { EntryRow } from "./entry";
import { type Connection, useFollow } from "~/experiment/live/follow";
import { type Entry, MOST } from "~/experiment/live/log";
import { saying } from "./sentences";

export function Watching({ projectKey, visitor }: { projectKey: string; visitor: string }) {
  const { log, connection, clear, retryNow } = useFollow(projectKey, visitor);
  /** Entries that stay unchanged while the stream is paused. */
  const [frozen, setFrozen] = useState<readonly Entry[]>();
  const names = useExperimentNames(projectKey);
  const entries = frozen ?? log.entries;
  const waiting = frozen === undefined ? 0 : log.entries.filter(({ id }) => id > (frozen[0]?.id ?? 0)).length;
  const newest = entries[0];

  if (connection.state === "refused") return <ErrorPanel error={connection.failure} />;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <ConnectionState connection={connection} retryNow={retryNow} />
        <span className="flex-1" />
        <div className="flex items-center gap-2">
          {waiting > 0 && <span className="text-sm text-soft">{count(waiting, "new event")}</span>}
          <Button small onClick={() => setFrozen(frozen === undefined ? log.entries : undefined)}>
            {frozen === undefined ? "Pause" : "Resume"}
          </Button>
          <Button
            small
            onClick={() => {
              clear();
              setFrozen(undefined);
            }}
          >
            Clear
          </Button>
        </div>
      </div>
      <p role="status" className="sr-only">
        {newest?.kind === "event" ? saying(newest.event, names).text : newest?.text}
      </p>
      <Card flush>
        {entries.length > 0 ? (
          <ol aria-label="Events, the newest first" className="divide-y divide-line">
            {entries.map((entry) => (
              <EntryRow key={entry.id} entry={entry} names={names} projectKey={projectKey} />
            ))}
          </ol>
        ) : (
          <Empty icon="pulse" title={connection.state === "open" ? "Waiting for this visitor" : "Not connected yet"}>
            Open a page of your site in the browser with this id. Its events appear here within two or three seconds.
          </Empty>
        )}
      </Card>
      {log.entries.length >= MOST && (
        <p className="text-sm text-soft">The last {MOST} events are kept; older ones are in the event log.</p>
      )}
    </>
  );
}

function ConnectionState({ connection, retryNow }: { connection: Connection; retryNow: () => void }) {
  if (connection.state === "open") return <Dot word={{ text: "Listening", tone: "good" }} />;
  if (connection.state === "connecting") return <Dot word={{ text: "Connecting…", tone: "neutral" }} hollow />;
  if (connection.state === "refused") return null;
  const { failure, until } = connection;
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Dot word={{ text: "Not connected", tone: "bad" }} hollow />
      <span className="text-soft">
        {failure.status === 503
          ? "Too many people are watching at the moment, or the server is starting."
          : failure.message}{" "}
        <Countdown until={until} />
      </span>
      <Button small onClick={retryNow}>
        Try now
      </Button>
    </div>
  );
}

function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className="num" aria-hidden="true">
      Next attempt in {Math.max(1, Math.ceil((until - now) / 1_000))} s.
    </span>
  );
}

const EXPERIMENTS_NAMED = 200;

/** Names of the experiments. The stream has only ids and keys. */
function useExperimentNames(projectKey: string): ReadonlyMap<number, string> {
  const overview = useQuery({
    ...query("/v2/overview", { query: { project: projectKey, limit: EXPERIMENTS_NAMED, archived: "include" } }),
    staleTime: 60_000,
  });
  return useMemo(
    () => new Map((overview.data?.items ?? []).map(({ test_id, test_name }) => [test_id, test_name])),
    [overview.data],
  );
}
