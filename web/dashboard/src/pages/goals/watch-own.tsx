// Events of the user's own browser while a goal is tried, and the goal's state on the server.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { outdate } from "~/api/query";
import { time } from "~/lib/format";
import type { GoalType } from "~/lib/goal-types";
import { Button } from "~/ui/button";
import { Note } from "~/ui/layout";
import { ErrorPanel } from "~/ui/loaded";
import { useFollow } from "~/experiment/live/follow";
import { ACTIVITY, activityQuery } from "./goal-activity";
import { SeenList, seenEvents } from "./seen";

interface WatchOwnProps {
  projectKey: string;
  visitor: string;
  type: GoalType;
  savedId: number | undefined;
}

export function WatchOwn({ projectKey, visitor, type, savedId }: WatchOwnProps) {
  const { log, connection, retryNow } = useFollow(projectKey, visitor);
  const events = seenEvents(log.entries);
  return (
    <div className="flex flex-col gap-3">
      <p role="status" className="text-soft">
        {connection.state === "open" ? "Watching. Events appear within two seconds." : "Not connected."}
      </p>
      {connection.state === "refused" && <ErrorPanel error={connection.failure} />}
      {connection.state === "waiting" && (
        <Note tone="caution">
          {connection.failure.message} <Button onClick={retryNow}>Try again now</Button>
        </Note>
      )}
      {savedId !== undefined && <ServerSays projectKey={projectKey} goalId={savedId} latest={events[0]?.id} />}
      <SeenList events={events} type={type} />
    </div>
  );
}

/** Delay before the activity is read again, because an event is counted shortly after it arrives. */
const ASK_AGAIN_MS = 3_000;

/** Shows whether the goal was matched since the watch began, by any visitor: the server does not report by whom. */
function ServerSays({
  projectKey,
  goalId,
  latest,
}: {
  projectKey: string;
  goalId: number;
  latest?: number | undefined;
}) {
  const cache = useQueryClient();
  const { data } = useQuery(activityQuery(projectKey, goalId));
  const [began] = useState(() => Date.now());
  useEffect(() => {
    if (latest === undefined) return;
    void outdate(cache, ACTIVITY);
    const timer = setTimeout(() => outdate(cache, ACTIVITY), ASK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [cache, latest]);
  const seen = data?.last_seen ?? null;
  if (seen === null || Date.parse(seen) < began)
    return <p className="text-soft">The goal was not matched since you began to watch.</p>;
  return (
    <Note tone="good" role="status">
      The server matched the goal at {time(seen)}.
    </Note>
  );
}
