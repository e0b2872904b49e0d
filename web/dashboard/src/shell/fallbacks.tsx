// Shown when a page is slow, does not exist, or fails. Part of the entry: small, and without Base UI.

import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Empty, Page } from "~/ui/layout";
import { ErrorPanel, Lines } from "~/ui/loaded";
import { usePageTitle } from "~/lib/page";

export function Pending() {
  return (
    <Page>
      <div aria-busy="true">
        <Lines count={5} />
      </div>
    </Page>
  );
}

export function Failed({ error, reset }: ErrorComponentProps) {
  usePageTitle("Error");
  return (
    <Page>
      <h1 tabIndex={-1} className="text-2xl font-semibold outline-none">
        This page could not be shown
      </h1>
      {/* After an upgrade of the server, chunks of the earlier release are gone. The new page has their new addresses.
       */}
      <ErrorPanel error={error} retry={isGone(error) ? () => location.reload() : reset} />
    </Page>
  );
}

function isGone(error: unknown): boolean {
  return error instanceof TypeError && /import|module/i.test(error.message);
}

export function Missing() {
  return (
    <Absent title="There is nothing here">
      The address is wrong, or the page was removed.{" "}
      <Link to="/experiments" className="link">
        Go to the experiments
      </Link>
      .
    </Absent>
  );
}

/** Shown instead of a page whose object does not exist. `children` say where to go instead. */
export function Absent({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle("Not found");
  return (
    <Page>
      <h1 tabIndex={-1} className="sr-only">
        Not found
      </h1>
      <Empty icon="search" title={title}>
        {children}
      </Empty>
    </Page>
  );
}
