// Goals of a project, with their activity and the experiments that use them.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { read, type Schemas } from "~/api/query";
import { may, useSession } from "~/api/session";
import { count } from "~/lib/format";
import { GOAL_PURPOSE, GOAL_TYPE } from "~/lib/goal-types";
import { names } from "~/lib/names";
import { usePageTitle } from "~/lib/page";
import { Button, ButtonLink } from "~/ui/button";
import { Card, Empty, Page, PageHeader } from "~/ui/layout";
import { ErrorPanel, Lines } from "~/ui/loaded";
import { SearchBox } from "~/ui/search-box";
import { type Column, Table } from "~/ui/table";
import { ActivityBars, activityQuery, type GoalActivity, lastSeen } from "./goal-activity";

type Goal = Schemas["Goal"];

const PAGE = 500;

function usePages(projectKey: string) {
  const path = { project_key: projectKey };
  return useInfiniteQuery({
    queryKey: ["/v2/project/{project_key}/goals", { path }, "pages"] as const,
    queryFn: ({ pageParam, signal }) =>
      read("/v2/project/{project_key}/goals", { path, query: { limit: PAGE, offset: pageParam } }, signal),
    initialPageParam: 0,
    // The answer has no total: a full page may be followed by another one.
    getNextPageParam: (last, all) => (last.count === PAGE ? all.length * PAGE : undefined),
  });
}

export function GoalsPage() {
  usePageTitle("Goals");
  const { projectKey } = useParams({ from: "/app/p/$projectKey/goals" });
  const { search = "" } = useSearch({ from: "/app/p/$projectKey/goals" });
  const navigate = useNavigate({ from: "/p/$projectKey/goals" });
  const pages = usePages(projectKey);
  const goals = useMemo(() => pages.data?.pages.flatMap((page) => page.goals) ?? [], [pages.data]);
  const canWrite = may(useSession(), projectKey, "write");
  // The operation has no search, so all goals must be loaded before the page can search them.
  const isWhole = pages.isSuccess && !pages.hasNextPage;
  const shown = isWhole && search !== "" ? goals.filter((goal) => isAbout(goal, search)) : goals;
  const add = canWrite && (
    <ButtonLink kind="primary" icon="plus" to="/p/$projectKey/goals/new" params={{ projectKey }}>
      New goal
    </ButtonLink>
  );
  return (
    <Page>
      <PageHeader
        title="Goals"
        about="Actions of visitors that matter. Experiments count the visitors who reach a goal."
        actions={goals.length > 0 && add}
      />
      {isWhole && goals.length > 0 && (
        <div role="search" aria-label="Goals">
          <SearchBox
            label="Search by name, key or value"
            value={search}
            change={(next) => navigate({ search: { search: next || undefined }, replace: true, resetScroll: false })}
          />
        </div>
      )}
      {pages.isError && <ErrorPanel error={pages.error} retry={() => pages.refetch()} isOutdated={goals.length > 0} />}
      <p role="status" className="sr-only">
        {pages.isPending ? "Loading" : isWhole ? count(shown.length, "goal") : ""}
      </p>
      {pages.isPending ? (
        <div aria-busy="true" className="rounded-lg border border-line bg-panel">
          <Lines count={6} />
        </div>
      ) : shown.length > 0 ? (
        <Card flush>
          <GoalTable projectKey={projectKey} goals={shown} />
        </Card>
      ) : goals.length > 0 ? (
        <Empty
          icon="search"
          title="No goal matches"
          action={<Button onClick={() => navigate({ search: {} })}>Show all goals</Button>}
        >
          Name, key and value are searched.
        </Empty>
      ) : (
        pages.isSuccess && (
          <Empty icon="flag" title="No goals yet" action={add}>
            A goal is something that visitors do and you care about: an order, a sign-up, a page that they reach. Every
            experiment needs a goal that decides it.
          </Empty>
        )
      )}
      {pages.hasNextPage && (
        <div>
          <Button isBusy={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </Page>
  );
}

function isAbout({ goal_name, goal_key, goal_value }: Goal, search: string): boolean {
  return `${goal_name}\n${goal_key}\n${goal_value}`.toLowerCase().includes(search.toLowerCase());
}

function GoalTable({ projectKey, goals }: { projectKey: string; goals: Goal[] }) {
  const activity = (cell: (activity: GoalActivity) => React.ReactNode) => (goal: Goal) => (
    <WithActivity projectKey={projectKey} id={goal.goal_profile_id} cell={cell} />
  );
  const columns: Column<Goal>[] = [
    {
      name: "Goal",
      isName: true,
      cell: (goal) => (
        <div className="min-w-36">
          <Link
            to="/p/$projectKey/goals/$goalId"
            params={{ projectKey, goalId: String(goal.goal_profile_id) }}
            className="link font-medium"
          >
            {goal.goal_name}
          </Link>
          <p className="text-sm text-soft">
            <code className="font-mono break-all">{goal.goal_key}</code>
          </p>
        </div>
      ),
    },
    {
      name: "Counts when",
      cell: (goal) => (
        <div className="min-w-36 max-w-90">
          <p>{GOAL_TYPE[goal.goal_type].text}</p>
          <p className="line-clamp-2 text-sm text-soft">
            <code className="font-mono break-all">{String(goal.goal_value)}</code>
          </p>
        </div>
      ),
    },
    { name: "Purpose", cell: (goal) => GOAL_PURPOSE[goal.goal_purpose].text },
    { name: "Last 14 days", cell: activity((one) => <ActivityBars activity={one} />) },
    {
      name: "Last matched",
      cell: activity((one) => (
        <span className={names("whitespace-nowrap", one.last_seen === null && "text-soft")}>{lastSeen(one)}</span>
      )),
    },
    { name: "Used by", cell: activity(({ tests }) => <Users tests={tests} />) },
  ];
  return <Table label="Goals" rows={goals} keyOf={(goal) => goal.goal_profile_id} columns={columns} />;
}

function Users({ tests }: Pick<GoalActivity, "tests">) {
  const live = tests.filter(({ status }) => status === 1).length;
  if (tests.length === 0) return <span className="text-soft">No experiment</span>;
  return (
    <span className="whitespace-nowrap">
      {count(tests.length, "experiment")}
      {live > 0 && <span className="text-soft">, {live} live</span>}
    </span>
  );
}

interface WithActivityProps {
  projectKey: string;
  id: number;
  cell: (activity: GoalActivity) => React.ReactNode;
}

/** Activity is a request per goal, so it is read only for goals near the window. */
function WithActivity({ projectKey, id, cell }: WithActivityProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (place.current === null) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        setNear(true);
        observer.disconnect();
      },
      { rootMargin: "1000px" },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  const activity = useQuery({ ...activityQuery(projectKey, id), enabled: isNear });
  return (
    <div ref={place} className="min-h-6">
      {activity.data ? (
        cell(activity.data)
      ) : activity.isError ? (
        <span className="text-sm text-soft">Cannot be read</span>
      ) : (
        isNear && <span className="skeleton block h-4 w-20" />
      )}
    </div>
  );
}
