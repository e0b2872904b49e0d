// The inbox: notifications, newest first, by day. The list does not change while it is shown: new entries are offered
// above it, and entries that are marked as read disappear when the page is opened again.

import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { read } from "~/api/query";
import { date } from "~/lib/format";
import { usePageTitle, useVanishing } from "~/lib/page";
import { useUnread } from "~/shell/unread";
import { Button } from "~/ui/button";
import { Card, Empty, Page, PageHeader } from "~/ui/layout";
import { ErrorPanel, Lines } from "~/ui/loaded";
import { BY_SEARCH, Tab, Tabs } from "~/ui/tabs";
import { EntryLine } from "./entry";
import { INBOX, useMarkAll } from "./marks";
import { byDay, type Entry } from "./notices";

const TABS = [
  ["All", {}],
  ["Unread", { show: "unread" as const }],
] as const;

function inboxQuery(isUnread: boolean) {
  return infiniteQueryOptions({
    queryKey: [INBOX, { unread: isUnread }, "pages"] as const,
    queryFn: ({ pageParam, signal }) =>
      read(
        INBOX,
        { query: { ...(isUnread && { unread: true }), ...(pageParam !== "" && { cursor: pageParam }) } },
        signal,
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    refetchOnWindowFocus: false,
  });
}

export function InboxPage() {
  usePageTitle("Inbox");
  const isUnread = useSearch({ from: "/app/inbox" }).show === "unread";
  const list = useInfiniteQuery(inboxQuery(isUnread));
  const entries = list.data?.pages.flatMap((page) => page.entries) ?? [];
  const unread = useUnread();
  const newest = entries[0]?.entry_id ?? 0;
  const hasNews = list.isSuccess && (unread.data?.newest_unread ?? 0) > newest;
  const news = useVanishing(hasNews);
  return (
    <Page width="form">
      <PageHeader
        title="Inbox"
        about="News about what you watch, mentions of you, and decisions that wait for you."
        actions={<MarkAll until={newest} isOffered={(unread.data?.unread ?? 0) > 0 && newest > 0} />}
      />
      <Tabs label="Inbox">
        {TABS.map(([name, search]) => (
          <Tab key={name} to="/inbox" search={search} {...BY_SEARCH}>
            {name}
          </Tab>
        ))}
      </Tabs>
      {list.isError && <ErrorPanel error={list.error} retry={() => list.refetch()} isOutdated={entries.length > 0} />}
      {hasNews && (
        <div role="status" className="flex justify-center">
          <Button
            small
            icon="bell"
            isBusy={list.isRefetching}
            onClick={() => {
              news();
              list.refetch();
            }}
          >
            Show what is new
          </Button>
        </div>
      )}
      {list.isPending && (
        <Card flush>
          <Lines count={6} />
        </Card>
      )}
      {byDay(entries, date).map(([day, ofDay]) => (
        <Day key={day} day={day} entries={ofDay} />
      ))}
      {list.isSuccess && entries.length === 0 && <Nothing isUnread={isUnread} />}
      {list.hasNextPage && (
        <div className="flex justify-center">
          <Button isBusy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            Show older
          </Button>
        </div>
      )}
    </Page>
  );
}

function MarkAll({ until, isOffered }: { until: number; isOffered: boolean }) {
  const { markAll, isBusy } = useMarkAll();
  const isThere = isOffered || isBusy;
  const pressed = useVanishing(isThere);
  if (!isThere) return null;
  return (
    <Button
      icon="check"
      isBusy={isBusy}
      onClick={() => {
        pressed();
        void markAll(until);
      }}
    >
      Mark all as read
    </Button>
  );
}

function Day({ day, entries }: { day: string; entries: Entry[] }) {
  return (
    <section aria-label={day} className="flex flex-col gap-2">
      <h2 className="px-1 text-sm font-medium text-soft">{day}</h2>
      <Card flush>
        <ul>
          {entries.map((entry) => (
            <EntryLine key={entry.entry_id} entry={entry} />
          ))}
        </ul>
      </Card>
    </section>
  );
}

function Nothing({ isUnread }: { isUnread: boolean }) {
  if (isUnread)
    return (
      <Card flush>
        <Empty icon="check" title="You have read everything">
          Earlier notifications are under{" "}
          <Link to="/inbox" search={{}} className="link">
            All
          </Link>
          .
        </Empty>
      </Card>
    );
  return (
    <Card flush>
      <Empty icon="bell" title="Nothing has happened yet">
        You watch the experiments that you create and comment on. To follow another one, open it and press Watch.
        Comments that mention you with @ and your name appear here, too.{" "}
        <Link to="/experiments" className="link">
          Go to the experiments
        </Link>
      </Empty>
    </Card>
  );
}
