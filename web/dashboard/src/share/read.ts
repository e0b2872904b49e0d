// Reads what a link shows. A request has no cookie and no address of the page that sends it: the link says it all, and stays here.

import { useEffect, useState } from "react";
import { type ApiFailure, failureFrom, failureOf, noAnswer } from "~/api/failure";
import type { Schemas } from "~/api/query";
import { track } from "~/lib/settled";

export type Shared = Schemas["SharedResult"];

export type Reading<T> =
  | { state: "reading" }
  /** The server is not ready to answer, in its words, and is asked again. */
  | { state: "waiting"; why: string }
  | { state: "shown"; shown: T }
  | { state: "failed"; failure: ApiFailure };

/** How long a server that is not ready is waited for: about half an hour. */
const MAX_WAITS = 400;
const WAIT_S = 5;

/** What stands below the address of the page. */
async function read<T>(address: string, signal: AbortSignal): Promise<T> {
  const asked = fetch(address, {
    credentials: "omit",
    referrerPolicy: "no-referrer",
    cache: "no-store",
    signal,
  });
  const answer = await asked.catch((error: unknown) => {
    throw signal.aborted ? error : noAnswer();
  });
  if (!answer.ok) throw await failureOf(answer);
  return answer.json();
}

/** Whether it is worth asking again: the server is busy, or loads its events. */
function isBusy({ status }: ApiFailure): boolean {
  return status === 503 || status === 429;
}

/** Reads what is at `address`, and again while the server is busy. */
export function useShared<T>(address: string): Reading<T> {
  const [reading, setReading] = useState<Reading<T>>({ state: "reading" });
  useEffect(() => {
    const given = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const go = async (waits: number): Promise<void> => {
      try {
        setReading({ state: "shown", shown: await track(read<T>(address, given.signal)) });
      } catch (error) {
        if (given.signal.aborted) return;
        const failure = failureFrom(error);
        if (!isBusy(failure) || waits >= MAX_WAITS) return setReading({ state: "failed", failure });
        setReading({ state: "waiting", why: failure.message });
        timer = setTimeout(() => go(waits + 1), (failure.retryAfterS ?? WAIT_S) * 1_000);
      }
    };
    go(0);
    return () => {
      clearTimeout(timer);
      given.abort();
    };
  }, [address]);
  return reading;
}
