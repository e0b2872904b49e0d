// Marks entries of the inbox as read, first here and then on the server. Failures are reverted.

import { type InfiniteData, type Query, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Answer, outdate, send } from "~/api/query";
import { failureFrom } from "~/api/failure";
import { toast } from "~/ui/toast";
import type { Entry } from "./notices";

export const INBOX = "/v2/inbox";
const UNREAD = "/v2/inbox/unread";

const LISTS = { predicate: ({ queryKey }: Query) => queryKey[0] === INBOX };

/** Changes entries in every cached list. No list is read again, so that nothing moves. */
function change(cache: QueryClient, to: (entry: Entry) => Entry): void {
  cache.setQueriesData<InfiniteData<Answer<typeof INBOX>>>(
    LISTS,
    (list) => list && { ...list, pages: list.pages.map((page) => ({ ...page, entries: page.entries.map(to) })) },
  );
}

/**
 * Changes the server's list. An answer that is in flight would restore the old state, so it is cancelled and requested
 * again afterwards.
 */
async function withoutReading(cache: QueryClient, act: () => Promise<void>): Promise<void> {
  const isReading = cache.isFetching(LISTS) > 0;
  if (isReading) await cache.cancelQueries(LISTS);
  try {
    await act();
  } finally {
    if (isReading) void cache.refetchQueries({ ...LISTS, type: "active" });
  }
}

/** Returns a function that marks one entry. */
export function useMark() {
  const cache = useQueryClient();
  return async (entry: Entry, isRead: boolean): Promise<void> => {
    const set = (is: boolean) => change(cache, (one) => (one.entry_id === entry.entry_id ? { ...one, read: is } : one));
    try {
      await withoutReading(cache, async () => {
        set(isRead);
        await send("patch", "/v2/inbox/{entry_id}", {
          params: { path: { entry_id: entry.entry_id } },
          body: { read: isRead },
        });
      });
      await outdate(cache, UNREAD);
    } catch (thrown) {
      set(entry.read);
      toast(`It could not be marked: ${failureFrom(thrown).message}`, "bad");
    }
  };
}

/** Returns a function that marks everything up to an entry as read. Later entries were not seen yet. */
export function useMarkAll() {
  const cache = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const markAll = async (until: number): Promise<void> => {
    setBusy(true);
    try {
      await withoutReading(cache, async () => {
        await send("post", "/v2/inbox/read", { body: { until } });
        change(cache, (one) => (one.entry_id <= until ? { ...one, read: true } : one));
      });
      await outdate(cache, UNREAD);
      toast("Everything is marked as read.");
    } catch (thrown) {
      toast(`Nothing was marked: ${failureFrom(thrown).message}`, "bad");
    } finally {
      setBusy(false);
    }
  };
  return { markAll, isBusy };
}
