// Connection of the live view: kept open, and opened again after it is lost.

import { useEffect, useReducer, useRef, useState } from "react";
import { ApiFailure, failureFrom } from "~/api/failure";
import type { Schemas } from "~/api/query";
import { messages } from "~/api/stream";
import { EMPTY, type Change, type Log, reduce } from "./log";

export type Connection =
  | { state: "connecting" }
  | { state: "open" }
  | { state: "waiting"; until: number; failure: ApiFailure }
  | { state: "refused"; failure: ApiFailure };

/** Longest silence. The server sends something every 15 seconds. */
const SILENCE_MS = 45_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** Follows a visitor while the page is open. */
export function useFollow(projectKey: string, visitor: string) {
  const [log, tell] = useReducer(reduce, EMPTY as Log);
  const [connection, setConnection] = useState<Connection>({ state: "connecting" });
  const wake = useRef<() => void>(() => {});
  useEffect(() => {
    const stop = new AbortController();
    const retry = () => wake.current();
    addEventListener("online", retry);
    tell({ kind: "clear" });
    void follow({ projectKey, visitor, tell, setConnection, wake, signal: stop.signal });
    return () => {
      removeEventListener("online", retry);
      stop.abort();
      wake.current();
    };
  }, [projectKey, visitor]);
  return { log, connection, clear: () => tell({ kind: "clear" }), retryNow: () => wake.current() };
}

interface Following {
  projectKey: string;
  visitor: string;
  tell: (change: Change) => void;
  setConnection: (connection: Connection) => void;
  /** Ends the wait before the next attempt. */
  wake: { current: () => void };
  signal: AbortSignal;
}

async function follow(following: Following): Promise<void> {
  const { setConnection, tell, signal, wake } = following;
  let failures = 0;
  let hasBeenOpen = false;
  while (!signal.aborted) {
    setConnection({ state: "connecting" });
    const failure = await follows(following, () => {
      if (hasBeenOpen)
        tell({
          kind: "gap",
          at: new Date().toISOString(),
          text: "Connected again. Events in between are not shown.",
        });
      hasBeenOpen = true;
      failures = 0;
    });
    if (signal.aborted) return;
    // The server ends a stream after an hour. A page that is still open connects again.
    if (failure === undefined) continue;
    if (isFinal(failure)) return setConnection({ state: "refused", failure });
    const wait = waitMs(failures, failure.retryAfterS);
    failures += 1;
    setConnection({ state: "waiting", until: Date.now() + wait, failure });
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, wait);
      wake.current = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    wake.current = () => {};
  }
}

/** One connection, until it ends. Returns the failure that ended it; undefined if the server has sent `bye`. */
async function follows(
  { projectKey, visitor, tell, setConnection, signal }: Following,
  onOpen: () => void,
): Promise<ApiFailure | undefined> {
  const params = { path: { project_key: projectKey }, query: { visitor } };
  try {
    for await (const { name, data } of messages("/v2/project/{project_key}/live", params, SILENCE_MS, signal)) {
      const message = JSON.parse(data) as Schemas["LiveMessage"];
      if (name === "hello") {
        setConnection({ state: "open" });
        onOpen();
      }
      tell({ kind: "message", message });
      if (name === "bye") return undefined;
    }
    return new ApiFailure("The connection was lost.", {});
  } catch (thrown) {
    return failureFrom(thrown);
  }
}

/** Returns whether another attempt would be refused, too. */
function isFinal({ status }: ApiFailure): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

function waitMs(failures: number, retryAfterS: number | undefined): number {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS);
  // Jitter, so that pages that lost the same server do not return at the same time.
  return Math.max(wait * (0.75 + Math.random() / 2), (retryAfterS ?? 0) * 1_000);
}
