// The frame around every page behind the sign-in: navigation, project, palette, person.

import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { SessionContext, sessionQuery, useRefreshSession, useSession } from "~/api/session";
import { names } from "~/lib/names";
import { track } from "~/api/settled";
import { IconButton } from "~/ui/button";
import { Icon, Mark } from "~/ui/icon";
import { Toasts } from "~/ui/toast";
import { Absent, Pending } from "./fallbacks";
import { focusHeading } from "./focus";
import { COMPANY, PROJECT, type Place, visible } from "./nav";
import { OpenProposalCount } from "./open-proposal-count";
import { PersonMenu } from "./person-menu";
import { InboxBell, UnreadCount } from "./unread";
import { useProject } from "./project";
import { ProjectSwitcher } from "./project-switcher";
import { type TypedAhead, typedAhead } from "./typed-ahead";

const loadPalette = () => import("./palette");
const Palette = lazy(() => track(loadPalette()));
/**
 * Delay after which the palette is loaded in any case, so that it is available when the user presses its keys and types
 * on.
 */
const PALETTE_AFTER_MS = 2_000;

export function Shell() {
  const { data: session } = useQuery(sessionQuery);
  // A session that has ended leads to the sign-in. Until that is shown, there is nothing to frame.
  if (!session) return null;
  return (
    <SessionContext value={session}>
      <Frame />
    </SessionContext>
  );
}

/** Pages of a project, if it exists. */
export function ProjectPages() {
  const { projectKey } = useParams({ from: "/app/p/$projectKey" });
  const { projects } = useSession();
  const isKnown = projects.some((one) => one.project_key === projectKey);
  const refreshSession = useRefreshSession();
  const [asked, setAsked] = useState<string>();
  // The project may be new, and created elsewhere.
  useEffect(() => {
    if (!isKnown) void refreshSession().finally(() => setAsked(projectKey));
  }, [isKnown, projectKey, refreshSession]);
  if (isKnown) return <Outlet />;
  if (asked !== projectKey) return <Pending />;
  return (
    <Absent title="There is no such project">
      The address is wrong, or you have no access to the project. An admin can give you access.{" "}
      <Link to="/settings/projects" className="link">
        Go to your projects
      </Link>
      .
    </Absent>
  );
}

function Frame() {
  const palette = usePalette();
  const [isNavOpen, setNavOpen] = useState(false);
  const openPalette = palette.open;
  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <a href="#content" className="skip print:hidden rounded-md border border-edge bg-raised px-3 py-2 font-medium">
        Skip to content
      </a>
      {/* One landmark for both: narrow windows show the bar, wide ones the sidebar. */}
      <header className="contents print:hidden">
        <div className="sticky top-0 z-30 flex items-center gap-2 border-b border-line bg-paper px-3 py-2 md:hidden">
          <IconButton
            icon={isNavOpen ? "close" : "menu"}
            label="Navigation"
            aria-expanded={isNavOpen}
            onClick={() => setNavOpen(!isNavOpen)}
          />
          <Brand />
          <span className="flex-1" />
          <InboxBell />
          <IconButton icon="search" label="Search" onClick={openPalette} />
        </div>
        <Sidebar isOpen={isNavOpen} close={() => setNavOpen(false)} openPalette={openPalette} />
      </header>
      <main id="content" className="min-w-0 flex-1">
        <FocusOnNavigation />
        <Outlet />
      </main>
      <Toasts />
      {palette.isOpen && (
        <Suspense>
          <Palette onClose={palette.close} takeTyped={palette.takeTyped} />
        </Suspense>
      )}
    </div>
  );
}

function Brand() {
  return (
    <Link
      to="/experiments"
      className="flex items-center gap-2 text-lg font-semibold tracking-tight text-ink no-underline"
    >
      <Mark />
      Muriel
    </Link>
  );
}

function Sidebar({ isOpen, close, openPalette }: { isOpen: boolean; close: () => void; openPalette: () => void }) {
  const session = useSession();
  const project = useProject();
  return (
    <div
      className={names(
        "z-30 flex-col gap-4 border-line bg-paper px-3 py-3 max-md:fixed max-md:inset-x-0 max-md:top-[calc(3.1rem)] max-md:bottom-0 max-md:overflow-y-auto",
        "md:sticky md:top-0 md:flex md:h-dvh md:w-58 md:shrink-0 md:border-r md:py-5",
        isOpen ? "flex" : "hidden",
      )}
    >
      <div className="px-2 max-md:hidden">
        <Brand />
      </div>
      <ProjectSwitcher onChosen={close} />
      <button
        type="button"
        onClick={openPalette}
        className="flex h-8.5 items-center gap-2 rounded-md border border-line bg-panel px-2.5 text-left text-soft hover:border-edge max-md:hidden"
      >
        <Icon name="search" />
        <span className="flex-1">Search</span>
        <kbd className="font-sans text-xs">{isMac() ? "⌘K" : "Ctrl K"}</kbd>
      </button>
      <nav aria-label="Main" className="flex flex-1 flex-col gap-4">
        <NavList places={visible(COMPANY, session)} close={close} />
        {project && PROJECT.length > 0 && (
          <NavList
            title={project.name}
            projectKey={project.project_key}
            places={visible(PROJECT, session)}
            close={close}
          />
        )}
        <NavList places={[{ name: "Settings", icon: "gear", to: "/settings" }]} close={close} />
      </nav>
      <ul className="flex flex-col gap-px">
        <li>
          <a href="/docs" target="_blank" rel="noreferrer" className={navClass}>
            <Icon name="book" className="size-4 text-soft" />
            Documentation
            <span className="sr-only">(opens in a new tab)</span>
          </a>
        </li>
        <li>
          <PersonMenu />
        </li>
      </ul>
    </div>
  );
}

const navClass = names(
  "flex items-center gap-2.5 rounded-md px-2 py-1.5 pointer-coarse:py-2.5 font-medium text-ink no-underline hover:bg-sunken",
  "aria-[current=page]:bg-accent-wash aria-[current=page]:text-accent",
);

function NavList({
  title,
  places,
  projectKey,
  close,
}: {
  title?: string;
  places: Place[];
  projectKey?: string;
  close: () => void;
}) {
  return (
    <div>
      {title && <p className="truncate px-2 pb-1 text-sm text-soft">{title}</p>}
      <ul className="flex flex-col gap-px">
        {places.map((place) => (
          <li key={place.name}>
            <Link
              to={place.to}
              params={{ projectKey } as never}
              onClick={close}
              activeProps={{ "aria-current": "page" }}
              className={navClass}
            >
              <Icon name={place.icon} />
              {place.name}
              {place.count === "unread" && <UnreadCount />}
              {place.count === "open-proposals" && projectKey && <OpenProposalCount projectKey={projectKey} />}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}

function usePalette() {
  const [isOpen, setOpen] = useState(false);
  const typed = useRef<TypedAhead>(undefined);
  const takeTyped = useCallback(() => {
    const text = typed.current?.take() ?? "";
    typed.current = undefined;
    return text;
  }, []);
  const close = useCallback(() => {
    takeTyped();
    setOpen(false);
  }, [takeTyped]);
  const open = useCallback(() => {
    typed.current ??= typedAhead(close);
    // If the palette cannot be loaded, the page gets the keys again.
    loadPalette().catch(close);
    setOpen(true);
  }, [close]);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      if (!isOpen) open();
    };
    addEventListener("keydown", listener);
    return () => removeEventListener("keydown", listener);
  }, [isOpen, open]);
  useEffect(() => {
    const timer = setTimeout(loadPalette, PALETTE_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return { isOpen, open, close, takeTyped };
}

/** Focuses the heading of another page. Filters of the same page do not move the focus. */
function FocusOnNavigation() {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const last = useRef<string>(undefined);
  useEffect(() => {
    const before = last.current;
    last.current = path;
    const content = document.getElementById("content");
    if (content !== null && before !== undefined && before !== path) return focusHeading(content);
    return undefined;
  }, [path]);
  return null;
}
