// What is shown when a page comes late, does not exist, or breaks. Part of the entry: small, and without Base UI.

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
      {/* A chunk of an earlier release is gone once the server is upgraded; the new page has new addresses. */}
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
      The address is wrong, or what it led to was removed.{" "}
      <Link to="/experiments" className="link">
        Go to the experiments
      </Link>
      .
    </Absent>
  );
}

/** In place of a page about something that does not exist: it leads on. */
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
