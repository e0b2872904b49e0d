// Unread entries of the inbox: the number next to its name, and the bell in narrow windows.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { query } from "~/api/query";
import { Badge } from "~/ui/badge";
import { buttonClass } from "~/ui/button";
import { Icon } from "~/ui/icon";

/** Maximum that the server counts. */
const COUNTED = 100;
const PERIOD_MS = 60_000;

/** Read once a minute while the tab can be seen, and when the user returns to it. */
export function useUnread() {
  return useQuery({
    ...query("/v2/inbox/unread", {}),
    staleTime: PERIOD_MS,
    refetchInterval: PERIOD_MS,
    refetchOnWindowFocus: "always",
    // A failure is not shown here: the inbox shows the error.
    retry: false,
  });
}

const short = (unread: number) => (unread >= COUNTED ? `${COUNTED - 1}+` : String(unread));

export function UnreadCount() {
  const unread = useUnread().data?.unread ?? 0;
  if (unread === 0) return null;
  return (
    <Badge tone="accent" className="num ml-auto">
      {short(unread)}
      <span className="sr-only"> unread</span>
    </Badge>
  );
}

/** Link to the inbox where the navigation is folded. */
export function InboxBell() {
  const unread = useUnread().data?.unread ?? 0;
  const label = unread === 0 ? "Inbox" : `Inbox, ${short(unread)} unread`;
  return (
    <Link
      to="/inbox"
      aria-label={label}
      title={label}
      activeProps={{ "aria-current": "page" }}
      className={`${buttonClass("quiet", false, true)} relative`}
    >
      <Icon name="bell" />
      {unread > 0 && (
        <span
          aria-hidden="true"
          className="num absolute -top-0.5 -right-0.5 grid h-4 min-w-4 place-items-center rounded-full bg-accent-fill px-1 text-[11px] leading-none font-semibold text-on-accent"
        >
          {short(unread)}
        </span>
      )}
    </Link>
  );
}
