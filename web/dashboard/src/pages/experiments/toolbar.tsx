import { useSession } from "~/api/session";
import { HEALTH, OUTCOME, STATUS, textsOf, VERDICT } from "~/lib/words";
import { Button } from "~/ui/button";
import { FilterMenu, FilterTrigger, ProjectFilter } from "~/ui/filter-menu";
import { Icon } from "~/ui/icon";
import { Menu, MenuCheckbox, MenuLabel, MenuLine, MenuRadios } from "~/ui/menu";
import { SearchBox } from "~/ui/search-box";
import {
  BEGINS_DOWN,
  DEFAULT_SORT,
  type Filters,
  HEALTHS,
  type Item,
  narrows,
  OUTCOMES,
  SORTS,
  STATUSES,
  VERDICTS,
} from "./filters";

const STATUS_NAMES = { live: STATUS[1].text, draft: STATUS[9].text, inactive: STATUS[0].text };
const VERDICT_NAMES: Record<(typeof VERDICTS)[number], string> = { ...textsOf(VERDICT), unknown: "No verdict yet" };
const OUTCOME_NAMES: Record<(typeof OUTCOMES)[number], string> = { ...textsOf(OUTCOME), none: "Not concluded" };
const HEALTH_NAMES: Record<(typeof HEALTHS)[number], string> = textsOf(HEALTH);

export const SORT_NAMES: Record<(typeof SORTS)[number], string> = {
  need: "Needs attention",
  last_change: "Last change",
  created_at: "Created",
  test_name: "Name",
  status: "Status",
  verdict: "Verdict",
  health: "Health",
  visitors: "Visitors",
  days: "Days",
  days_left: "Days left",
};

interface ToolbarProps {
  filters: Filters;
  /** Loaded experiments, whose owners can be chosen. */
  items: Item[];
  change: (changes: Partial<Filters>, replace?: boolean) => void;
}

export function Toolbar({ filters, items, change }: ToolbarProps) {
  const { projects, person } = useSession();
  const owners = new Map(items.map(({ owner }) => [owner.id, owner.name]));
  owners.delete(String(person.person_id));
  if (filters.owner !== undefined && filters.owner !== "me" && !owners.has(filters.owner))
    owners.set(filters.owner, filters.owner);
  return (
    <div role="search" aria-label="Experiments" className="flex flex-wrap items-center gap-2">
      <SearchBox
        label="Search by name, key, page, tag or id"
        value={filters.search ?? ""}
        change={(search) => change({ search: search || undefined }, true)}
      />
      <FilterMenu
        name="Status"
        words={STATUSES}
        texts={STATUS_NAMES}
        value={filters.status}
        change={(status) => change({ status })}
      />
      <FilterMenu
        name="Verdict"
        words={VERDICTS}
        texts={VERDICT_NAMES}
        value={filters.verdict}
        change={(verdict) => change({ verdict })}
      />
      <FilterMenu
        name="Health"
        words={HEALTHS}
        texts={HEALTH_NAMES}
        value={filters.health}
        change={(health) => change({ health })}
      />
      <ProjectFilter projects={projects} value={filters.project} change={(project) => change({ project })} />
      <More filters={filters} owners={owners} change={change} />
      {filters.tag !== undefined && (
        <Button
          icon="close"
          onClick={() => change({ tag: undefined })}
          aria-label={`Remove the filter for the tag ${filters.tag}`}
        >
          <Icon name="tag" />
          <span className="max-w-40 truncate">{filters.tag}</span>
        </Button>
      )}
      {narrows(filters) && (
        <Button kind="quiet" aria-label="Clear filters" onClick={() => change({ ...EMPTY, sort: filters.sort })}>
          Clear
        </Button>
      )}
      <span className="flex-1" />
      <SortMenu sort={filters.sort} change={(sort) => change({ sort })} />
    </div>
  );
}

const EMPTY: Record<Exclude<keyof Filters, "sort">, undefined> = {
  search: undefined,
  status: undefined,
  verdict: undefined,
  health: undefined,
  outcome: undefined,
  project: undefined,
  tag: undefined,
  owner: undefined,
  archived: undefined,
  served: undefined,
  complete: undefined,
  waiting: undefined,
};

/** Filters that are needed less often. */
function More({
  filters: { owner = "", outcome = [], archived, served, complete, waiting },
  owners,
  change,
}: {
  filters: Filters;
  owners: Map<string, string>;
  change: ToolbarProps["change"];
}) {
  const on = [owner, archived, served, complete, waiting, outcome.length > 0].filter(Boolean).length;
  const setOutcome = (word: (typeof OUTCOMES)[number], isOn: boolean) => {
    const next = OUTCOMES.filter((one) => (one === word ? isOn : outcome.includes(one)));
    change({ outcome: next.length > 0 ? next : undefined });
  };
  return (
    <Menu trigger={<FilterTrigger name="More" value={on === 0 ? "" : String(on)} />}>
      <MenuRadios
        label="Owner"
        value={owner}
        choices={[["", "Everybody"], ["me", "Me"], ...owners]}
        onChange={(chosen) => change({ owner: chosen || undefined })}
      />
      <MenuLine />
      <MenuLabel>Outcome</MenuLabel>
      {OUTCOMES.map((word) => (
        <MenuCheckbox key={word} checked={outcome.includes(word)} onChange={(isOn) => setOutcome(word, isOn)}>
          {OUTCOME_NAMES[word]}
        </MenuCheckbox>
      ))}
      <MenuLine />
      <MenuLabel>State</MenuLabel>
      <MenuCheckbox checked={served === "true"} onChange={(isOn) => change({ served: isOn ? "true" : undefined })}>
        A winner is served
      </MenuCheckbox>
      <MenuCheckbox checked={complete === "true"} onChange={(isOn) => change({ complete: isOn ? "true" : undefined })}>
        Complete, not concluded
      </MenuCheckbox>
      <MenuCheckbox checked={waiting === "true"} onChange={(isOn) => change({ waiting: isOn ? "true" : undefined })}>
        Waits for approval
      </MenuCheckbox>
      <MenuLine />
      <MenuRadios<"" | NonNullable<typeof archived>>
        label="Archive"
        value={archived ?? ""}
        choices={[
          ["", "Leave out"],
          ["include", "Include"],
          ["only", "Only archived"],
        ]}
        onChange={(chosen) => change({ archived: chosen || undefined })}
      />
    </Menu>
  );
}

function SortMenu({ sort = DEFAULT_SORT, change }: { sort: Filters["sort"]; change: (sort: Filters["sort"]) => void }) {
  const isDown = sort.startsWith("-");
  const key = sort.replace("-", "") as (typeof SORTS)[number];
  return (
    <Menu align="end" trigger={<FilterTrigger name="Sort" value={SORT_NAMES[key]} always />}>
      <MenuRadios
        label="Sort by"
        value={key}
        choices={SORTS.map((one) => [one, SORT_NAMES[one]])}
        onChange={(one) => change(BEGINS_DOWN.includes(one) ? `-${one}` : one)}
      />
      <MenuRadios
        label="Order"
        value={isDown ? "down" : "up"}
        choices={[
          ["down", "Greatest or latest first"],
          ["up", "Least or earliest first"],
        ]}
        onChange={(order) => change(order === "down" ? `-${key}` : key)}
      />
    </Menu>
  );
}
