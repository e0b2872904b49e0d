// Reads a shared result. Requests have no cookie and no referrer: the link alone gives access, and is not passed on.

import { useEffect, useState } from "react";
import { type ApiFailure, failureFrom, failureOf, noAnswer } from "~/api/failure";
import type { Schemas } from "~/api/query";
import { track } from "~/api/settled";

export type Shared = Schemas["SharedResult"];

export type Reading<T> =
  | { state: "reading" }
  /** The server is not ready, for the reason in `why`, and is asked again. */
  | { state: "waiting"; why: string }
  | { state: "shown"; shown: T }
  | { state: "failed"; failure: ApiFailure };

/** Attempts before the page gives up: about half an hour. */
const MAX_WAITS = 400;
const WAIT_S = 5;

/** Reads JSON from `address`. */
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

/** Returns whether to retry: the server is busy, or loads its events. */
function isBusy({ status }: ApiFailure): boolean {
  return status === 503 || status === 429;
}

/** Reads `address`, and retries while the server is busy. */
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
    void go(0);
    return () => {
      clearTimeout(timer);
      given.abort();
    };
  }, [address]);
  return reading;
}
