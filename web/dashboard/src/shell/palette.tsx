// The ⌘K palette: opens any page, experiment, hypothesis or goal by a few letters. A list box below a field; the field
// keeps the focus.

import { useQueries, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { Dialog as Base } from "@base-ui/react/dialog";
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from "react";
import { query } from "~/api/query";
import { may, useSession } from "~/api/session";
import { useDelayed } from "~/lib/delayed";
import { names } from "~/lib/names";
import { STATUS } from "~/lib/words";
import { Icon, type IconName } from "~/ui/icon";
import { COMPANY, MAKE, OWN, PROJECT, SETTINGS, visible } from "./nav";
import { useProject } from "./project";

interface Hit {
  group: string;
  name: string;
  aside?: string;
  icon: IconName;
  href: string;
}

const MOST_OF_A_KIND = 7;
const SEARCH_DELAY_MS = 120;

interface PaletteProps {
  onClose: () => void;
  /** Returns the text that was typed before the field existed. */
  takeTyped: () => string;
}

export default function Palette({ onClose, takeTyped }: PaletteProps) {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const { hits, isBusy } = useHits(typed.trim());
  const router = useRouter();
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const current = Math.min(at, hits.length - 1);
  // Keeps the current option in view, even when other results have arrived.
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  });

  const go = (hit: Hit | undefined) => {
    if (!hit) return;
    onClose();
    router.history.push(hit.href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      Home: 0,
      End: hits.length - 1,
    };
    const to = moves[event.key];
    if (event.key === "Enter") go(hits[current]);
    else if (to === undefined || (["Home", "End"].includes(event.key) && typed !== "")) return;
    else setAt((to + hits.length) % Math.max(hits.length, 1));
    event.preventDefault();
  };

  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-(--veil)" />
        <Base.Popup className="floating fixed inset-x-3 top-[10vh] z-50 mx-auto flex max-h-[75vh] max-w-150 flex-col overflow-hidden outline-none">
          <Base.Title className="sr-only">Search</Base.Title>
          <div className="flex items-center gap-2.5 border-b border-line px-4">
            <Icon name="search" className="size-4.5 text-soft" />
            <input
              type="text"
              role="combobox"
              aria-label="Search pages, experiments, hypotheses and goals"
              aria-expanded={hits.length > 0}
              aria-controls={listId}
              aria-activedescendant={hits.length > 0 ? `${listId}-${current}` : undefined}
              aria-autocomplete="list"
              autoComplete="off"
              maxLength={200}
              placeholder="Search or go to…"
              value={typed}
              onFocus={() => {
                const before = takeTyped();
                if (before !== "") setTyped((text) => text + before);
              }}
              onChange={(event) => {
                setTyped(event.target.value);
                setAt(0);
              }}
              onKeyDown={onKeyDown}
              className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-soft"
            />
            <kbd className="font-sans text-xs text-soft max-xs:hidden">Esc</kbd>
          </div>
          <div ref={list} id={listId} role="listbox" aria-label="Results" className="overflow-y-auto p-1.5">
            {grouped(hits).map(([group, members]) => (
              <div key={group} role="group" aria-label={group} className="pb-1">
                <div aria-hidden="true" className="px-2.5 pt-1.5 pb-0.5 text-xs font-medium text-soft">
                  {group}
                </div>
                {members.map(([hit, index]) => (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
                  <div
                    key={hit.href + hit.name}
                    id={`${listId}-${index}`}
                    role="option"
                    tabIndex={-1}
                    aria-selected={index === current}
                    onClick={() => go(hit)}
                    onPointerMove={() => setAt(index)}
                    className={names(
                      "flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.5",
                      index === current && "bg-accent-wash",
                    )}
                  >
                    <Icon name={hit.icon} className="size-4 text-soft" />
                    <span className="min-w-0 flex-1 truncate">{hit.name}</span>
                    {hit.aside && <span className="shrink-0 text-sm text-soft">{hit.aside}</span>}
                  </div>
                ))}
              </div>
            ))}
          </div>
          <p role="status" className={names("px-4 text-soft", hits.length > 0 ? "sr-only" : "py-6 text-center")}>
            {isBusy ? "Searching…" : hits.length === 0 ? "Nothing matches." : `${hits.length} results`}
          </p>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function grouped(hits: Hit[]): [string, [Hit, number][]][] {
  const groups = new Map<string, [Hit, number][]>();
  for (const [index, hit] of hits.entries()) {
    const members = groups.get(hit.group) ?? [];
    members.push([hit, index]);
    groups.set(hit.group, members);
  }
  return [...groups];
}

function useHits(typed: string): { hits: Hit[]; isBusy: boolean } {
  const session = useSession();
  const project = useProject();
  const search = useDelayed(typed, SEARCH_DELAY_MS);
  const key = project?.project_key ?? "";
  const shown = useDeferredValue(search);

  const experiments = useQuery({
    ...query("/v2/overview", { query: { search: shown || undefined, limit: MOST_OF_A_KIND } }),
    placeholderData: (before) => before,
  });
  const [hypotheses, goals] = useQueries({
    queries: [
      {
        ...query("/v2/project/{project_key}/hypotheses", {
          path: { project_key: key },
          query: { search: shown, limit: MOST_OF_A_KIND },
        }),
        enabled: key !== "" && shown !== "",
      },
      {
        ...query("/v2/project/{project_key}/goals", { path: { project_key: key } }),
        enabled: key !== "" && shown !== "",
        staleTime: 60_000,
      },
    ],
  });

  const matches = (text: string) => text.toLowerCase().includes(typed.toLowerCase());
  const pages = [
    ...visible(COMPANY, session),
    ...(project ? visible(PROJECT, session) : []),
    ...(project && may(session, key, "write") ? MAKE : []),
    ...visible(SETTINGS, session),
    ...OWN,
  ];
  const isFresh = shown === typed && !experiments.isPlaceholderData;
  const hits: Hit[] = [
    ...pages
      .filter((place) => matches(`${place.name} ${place.also ?? ""}`))
      .map((place) => ({
        group: "Pages",
        name: place.name,
        icon: place.icon,
        ...(MAKE.includes(place) && project && { aside: project.name }),
        href: String(place.to).replace("$projectKey", key),
      })),
    // While the answer is in flight, previous items stay if their names match.
    ...(experiments.data?.items ?? [])
      .filter((item) => isFresh || matches(item.test_name))
      .map((item) => ({
        group: "Experiments",
        name: item.test_name,
        aside: STATUS[item.status].text,
        icon: "flask" as const,
        href: `/p/${item.project_key}/experiments/${item.test_id}`,
      })),
    ...(shown === "" ? [] : (hypotheses.data?.hypotheses ?? [])).map((one) => ({
      group: "Hypotheses",
      name: one.problem || one.solution || one.observation || `Hypothesis ${one.hypothesis_id}`,
      icon: "lightbulb" as const,
      href: `/p/${key}/hypotheses/${one.hypothesis_id}`,
    })),
    ...(shown === "" ? [] : (goals.data?.goals ?? []))
      .filter((goal) => matches(`${goal.goal_name} ${goal.goal_key}`))
      .slice(0, MOST_OF_A_KIND)
      .map((goal) => ({
        group: "Goals",
        name: goal.goal_name,
        aside: goal.goal_key,
        icon: "flag" as const,
        href: `/p/${key}/goals/${goal.goal_profile_id}`,
      })),
  ];
  return { hits, isBusy: experiments.isFetching || hypotheses.isFetching || search !== typed };
}
