// Installation state of the script in a sentence, with what to do next.

import { Link, useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { may, useSession } from "~/api/session";
import { ago, moment } from "~/lib/format";
import { names } from "~/lib/names";
import { Button, ButtonLink } from "~/ui/button";
import { Icon, type IconName } from "~/ui/icon";
import { Card, Facts } from "~/ui/layout";
import { OutsideLink } from "~/ui/outside-link";
import { Table } from "~/ui/table";
import { type Install, type InstallState, stateOf } from "./state";

const LOOKS: Record<InstallState, { icon: IconName; title: string; ground: string }> = {
  nothing: { icon: "code", title: "The script has not been requested yet", ground: "bg-sunken text-soft" },
  fetched: { icon: "warning", title: "Requested, but no event has arrived", ground: "bg-caution-wash text-caution" },
  quiet: { icon: "warning", title: "No event for more than a day", ground: "bg-caution-wash text-caution" },
  works: { icon: "check", title: "The script works", ground: "bg-good-wash text-good" },
};

export function StatusCard({ install }: { install: Install }) {
  const state = stateOf(install);
  const { icon, title, ground } = LOOKS[state];
  return (
    <Card>
      <div className="flex items-start gap-3.5">
        <span className={names("grid size-9 shrink-0 place-items-center rounded-full", ground)}>
          <Icon name={icon} className="size-4.5" />
        </span>
        <div className="flex min-w-0 flex-1 flex-col gap-3">
          <div role="status">
            <h2 className="text-lg font-semibold">{title}</h2>
            <p className="text-soft">{SENTENCES[state]}</p>
          </div>
          {state === "fetched" && <WhyNoEvents />}
          {state !== "nothing" && (
            <Facts
              facts={[
                ["Last requested", <Moment key="fetch" iso={install.last_script_fetch} never="Not known" />],
                ["Last event", <Moment key="event" iso={install.last_event} never="None in the last seven days" />],
              ]}
            />
          )}
          {state === "works" && <Next />}
        </div>
      </div>
    </Card>
  );
}

const SENTENCES: Record<InstallState, ReactNode> = {
  nothing: "Put the lines below on your pages and open one of them. This page checks every few seconds.",
  fetched: "The script was requested. It works once one of your pages has sent an event; this page checks for one.",
  quiet: "It has worked before. Is it still on your pages? This page checks every few seconds.",
  works: "Your pages run it and send events.",
};

function Moment({ iso, never }: { iso: string | null; never: string }) {
  return iso === null ? never : <span title={moment(iso)}>{ago(iso)}</span>;
}

function WhyNoEvents() {
  const { projectKey } = useParams({ from: "/app/p/$projectKey/install" });
  return (
    <ul className="flex list-disc flex-col gap-1 pl-4.5">
      <li>Events arrive about two seconds after a page was opened. Open one, or reload it, and wait a moment.</li>
      <li>
        Where{" "}
        <Link to="/settings/projects/$projectKey" params={{ projectKey }} className="link">
          consent is required
        </Link>
        , nothing is sent before a visitor has agreed.
      </li>
      <li>Crawlers and automated browsers do not count. Use an ordinary browser, without an ad blocker.</li>
      <li>A content security policy can allow the script but block its events. The check below finds this.</li>
    </ul>
  );
}

function Next() {
  const { projectKey } = useParams({ from: "/app/p/$projectKey/install" });
  const canWrite = may(useSession(), projectKey, "write");
  return (
    <div className="flex flex-wrap gap-2">
      {canWrite && (
        <ButtonLink to={"/p/$projectKey/experiments/new" as "/"} params={{ projectKey } as never} icon="plus">
          New experiment
        </ButtonLink>
      )}
      <ButtonLink to="/p/$projectKey/live" params={{ projectKey }} icon="pulse">
        Watch your own visit
      </ButtonLink>
    </div>
  );
}

const PAGES_SHOWN = 8;

export function PagesCard({ pages }: { pages: Install["pages"] }) {
  const [showsAll, setShowsAll] = useState(false);
  if (pages.length === 0) return null;
  return (
    <Card
      flush
      title="Pages with the script"
      about="Pages that visitors have opened in the last seven days, at most 50."
    >
      <Table
        label="Pages with the script"
        rows={showsAll ? pages : pages.slice(0, PAGES_SHOWN)}
        keyOf={(page) => page.url}
        columns={[
          { name: "Page", isName: true, cell: (page) => <OutsideLink url={page.url} /> },
          {
            name: "Last opened",
            cell: (page) => (
              <span className="whitespace-nowrap" title={moment(page.last_seen)}>
                {ago(page.last_seen)}
              </span>
            ),
          },
        ]}
      />
      {pages.length > PAGES_SHOWN && !showsAll && (
        <div className="border-t border-line px-4 py-2.5 md:px-5">
          <Button small onClick={() => setShowsAll(true)}>
            Show all {pages.length}
          </Button>
        </div>
      )}
    </Card>
  );
}
