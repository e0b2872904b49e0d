// State of a query on a page: its skeleton while it is read, its error with the request id, or its data.

import { capital } from "~/lib/capital";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { failureFrom } from "~/api/failure";
import { Button } from "./button";
import { Icon } from "./icon";

interface LoadedProps<T> {
  query: UseQueryResult<T>;
  /** As high as the data, so that nothing moves. */
  skeleton?: ReactNode;
  children: (data: T) => ReactNode;
}

export function Loaded<T>({ query, skeleton, children }: LoadedProps<T>) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isError && <ErrorPanel error={query.error} retry={() => query.refetch()} isOutdated />}
        {children(query.data)}
      </>
    );
  }
  if (query.isError) return <ErrorPanel error={query.error} retry={() => query.refetch()} />;
  return <Loading>{skeleton}</Loading>;
}

/** Placeholder while something loads: its children, else lines of text. */
export function Loading({ children }: { children?: ReactNode }) {
  return (
    <div aria-busy="true">
      {children ?? <Lines count={4} />}
      <span className="sr-only" role="status">
        Loading
      </span>
    </div>
  );
}

/** Bars as placeholders for lines of text. */
export function Lines({ count }: { count: number }) {
  return (
    <div className="flex flex-col gap-3 p-4" aria-hidden="true">
      {Array.from({ length: count }, (_, at) => (
        <div key={at} className={`skeleton h-4 ${at % 3 === 2 ? "w-1/2" : at % 2 ? "w-3/4" : "w-full"}`} />
      ))}
    </div>
  );
}

interface ErrorProps {
  error: unknown;
  retry?: () => void;
  /** True when older data is shown below. */
  isOutdated?: boolean;
}

/** An error: its cause, what to do, and the request id for support. */
export function ErrorPanel({ error, retry, isOutdated = false }: ErrorProps) {
  const failure = failureFrom(error);
  return (
    <div role="alert" className="flex flex-wrap items-start gap-x-4 gap-y-2 rounded-lg bg-bad-wash px-4 py-3 text-bad">
      <Icon name="warning" className="mt-0.5 size-4" />
      <div className="min-w-0 flex-1 basis-40">
        <p className="font-medium">{failure.code === "precondition_failed" ? CHANGED : sentence(failure.message)}</p>
        {isOutdated && <p>The data below was loaded earlier and may be out of date.</p>}
        {failure.retryAfterS !== undefined && <p>Try again in {failure.retryAfterS} s.</p>}
        {failure.requestId && (
          <p className="text-sm">
            Request <code className="font-mono select-all">{failure.requestId}</code>
          </p>
        )}
      </div>
      {retry && (
        <Button small onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/**
 * Replaces the server's message, which is for programs. After such a refusal, pages that send `If-Match` read the
 * current state.
 */
const CHANGED = "Somebody else has changed this in the meantime. Check its current state, and try again.";

function sentence(message: string): string {
  const text = capital(message);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
