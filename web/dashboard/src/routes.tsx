// All routes. Each page is a separate chunk, which `page` imports when somebody opens it or is about to.

import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { query } from "./api/query";
import { takeDestination } from "./lib/destination";
import { sessionQuery } from "./api/session";
import { id, localPath, parseSearch, stringifySearch, text, word } from "./lib/search";
import { readFilters } from "./pages/experiments/filters";
import { readHypothesisFilters } from "./pages/hypotheses/filters";
import { readProgrammeFilters } from "./pages/programme/filters";
import { readQuestion } from "./experiment/result/question";
import { Failed, Missing, Pending } from "./shell/fallbacks";

/** Reads the revision that is linked to, in a history. */
const readRevision = (search: Record<string, unknown>): { revision?: number } => ({ revision: id(search.revision) });

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  // Outside the frame, which otherwise provides the landmark.
  errorComponent: (props) => (
    <main>
      <Failed {...props} />
    </main>
  ),
  notFoundComponent: () => (
    <main>
      <Missing />
    </main>
  ),
});

// Routes before the sign-in.

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search): { to?: string; error?: string } => ({
    to: localPath(search.to),
    error: text(search.error),
  }),
  component: lazyRouteComponent(() => import("./pages/entrance/sign-in"), "SignInPage"),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation",
  component: lazyRouteComponent(() => import("./pages/entrance/invitation"), "InvitationPage"),
});

// Routes behind the sign-in.

const app = createRoute({
  getParentRoute: () => root,
  id: "app",
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session === null) throw redirect({ to: "/sign-in", search: { to: location.href } });
  },
  component: lazyRouteComponent(() => import("./shell/shell"), "Shell"),
});

const home = createRoute({
  getParentRoute: () => app,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: (takeDestination() ?? "/experiments") as "/experiments", replace: true });
  },
});

const experiments = createRoute({
  getParentRoute: () => app,
  path: "/experiments",
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import("./pages/experiments/experiments"), "ExperimentsPage"),
});

const programme = createRoute({
  getParentRoute: () => app,
  path: "/programme",
  validateSearch: readProgrammeFilters,
  component: lazyRouteComponent(() => import("./pages/programme/programme"), "ProgrammePage"),
});

const inbox = createRoute({
  getParentRoute: () => app,
  path: "/inbox",
  validateSearch: (search): { show?: "unread" } => (search.show === "unread" ? { show: "unread" } : {}),
  component: lazyRouteComponent(() => import("./pages/inbox/inbox"), "InboxPage"),
});

const project = createRoute({
  getParentRoute: () => app,
  path: "/p/$projectKey",
  component: lazyRouteComponent(() => import("./shell/shell"), "ProjectPages"),
});

// An experiment: its header and tabs, with a page below each.

const newExperiment = createRoute({
  getParentRoute: () => project,
  path: "experiments/new",
  validateSearch: (search): { hypothesis?: number; copy?: number } => ({
    hypothesis: id(search.hypothesis),
    copy: id(search.copy),
  }),
  // Each hypothesis and copy has a form of its own.
  remountDeps: ({ params, search }) => ({ ...params, ...search }),
  component: lazyRouteComponent(() => import("./pages/experiment-new/new-experiment"), "NewExperimentPage"),
});

const experiment = createRoute({
  getParentRoute: () => project,
  path: "experiments/$testId",
  component: lazyRouteComponent(() => import("./pages/experiment/experiment"), "ExperimentLayout"),
});

const summary = createRoute({
  getParentRoute: () => experiment,
  path: "/",
  component: lazyRouteComponent(() => import("./pages/experiment/summary"), "SummaryPage"),
});

const setup = createRoute({
  getParentRoute: () => experiment,
  path: "setup",
  component: lazyRouteComponent(() => import("./pages/setup/setup"), "SetupLayout"),
});

const setupBasics = createRoute({
  getParentRoute: () => setup,
  path: "/",
  component: lazyRouteComponent(() => import("./pages/setup/basics"), "BasicsStep"),
});

const setupVariants = createRoute({
  getParentRoute: () => setup,
  path: "variants",
  validateSearch: (search): { arm?: string; view?: "json" } => ({
    arm: text(search.arm),
    view: word(search.view, ["json"] as const),
  }),
  component: lazyRouteComponent(() => import("./pages/setup/variants/variants"), "VariantsStep"),
});

const setupGoals = createRoute({
  getParentRoute: () => setup,
  path: "goals",
  component: lazyRouteComponent(() => import("./pages/setup/setup-goals"), "GoalsStep"),
});

const setupAudience = createRoute({
  getParentRoute: () => setup,
  path: "audience",
  component: lazyRouteComponent(() => import("./pages/setup/audience/audience"), "AudienceStep"),
});

const setupTraffic = createRoute({
  getParentRoute: () => setup,
  path: "traffic",
  component: lazyRouteComponent(() => import("./pages/setup/traffic/traffic"), "TrafficStep"),
});

const setupSchedule = createRoute({
  getParentRoute: () => setup,
  path: "schedule",
  component: lazyRouteComponent(() => import("./pages/setup/setup-schedule"), "ScheduleStep"),
});

const setupReview = createRoute({
  getParentRoute: () => setup,
  path: "review",
  component: lazyRouteComponent(() => import("./pages/setup/setup-review"), "ReviewStep"),
});

const launch = createRoute({
  getParentRoute: () => experiment,
  path: "launch",
  component: lazyRouteComponent(() => import("./pages/launch/launch"), "LaunchPage"),
});

const results = createRoute({
  getParentRoute: () => experiment,
  path: "results",
  validateSearch: readQuestion,
  component: lazyRouteComponent(() => import("./pages/results/results"), "ResultsPage"),
});

const history = createRoute({
  getParentRoute: () => experiment,
  path: "history",
  validateSearch: readRevision,
  component: lazyRouteComponent(() => import("./pages/history/history"), "HistoryPage"),
});

const conclude = createRoute({
  getParentRoute: () => experiment,
  path: "conclude",
  component: lazyRouteComponent(() => import("./pages/conclude/conclude"), "ConcludePage"),
});

const experimentProposals = createRoute({
  getParentRoute: () => experiment,
  path: "proposals",
  component: lazyRouteComponent(() => import("./pages/proposals/experiment-proposals"), "ExperimentProposalsPage"),
});

const suspects = createRoute({
  getParentRoute: () => experiment,
  path: "suspects",
  component: lazyRouteComponent(() => import("./pages/exclusions/suspects"), "SuspectsPage"),
});

// Objects that the experiments of a project share.

const hypotheses = createRoute({
  getParentRoute: () => project,
  path: "hypotheses",
  validateSearch: readHypothesisFilters,
  component: lazyRouteComponent(() => import("./pages/hypotheses/hypotheses"), "HypothesesPage"),
});

const newHypothesis = createRoute({
  getParentRoute: () => project,
  path: "hypotheses/new",
  component: lazyRouteComponent(() => import("./pages/hypotheses/new-hypothesis"), "NewHypothesisPage"),
});

const hypothesis = createRoute({
  getParentRoute: () => project,
  path: "hypotheses/$hypothesisId",
  validateSearch: readRevision,
  component: lazyRouteComponent(() => import("./pages/hypotheses/hypothesis"), "HypothesisPage"),
});

const goals = createRoute({
  getParentRoute: () => project,
  path: "goals",
  validateSearch: (search): { search?: string } => ({ search: text(search.search) }),
  component: lazyRouteComponent(() => import("./pages/goals/goals"), "GoalsPage"),
});

const newGoal = createRoute({
  getParentRoute: () => project,
  path: "goals/new",
  component: lazyRouteComponent(() => import("./pages/goals/new-goal"), "NewGoalPage"),
});

const goal = createRoute({
  getParentRoute: () => project,
  path: "goals/$goalId",
  validateSearch: readRevision,
  component: lazyRouteComponent(() => import("./pages/goals/goal"), "GoalPage"),
});

const groups = createRoute({
  getParentRoute: () => project,
  path: "groups",
  component: lazyRouteComponent(() => import("./pages/groups/groups"), "GroupsPage"),
});

const newGroup = createRoute({
  getParentRoute: () => project,
  path: "groups/new",
  validateSearch: (search): { kind?: "exclusion" | "holdout" } =>
    search.kind === "holdout" || search.kind === "exclusion" ? { kind: search.kind } : {},
  component: lazyRouteComponent(() => import("./pages/groups/new-group"), "NewGroupPage"),
});

const group = createRoute({
  getParentRoute: () => project,
  path: "groups/$groupId",
  validateSearch: (search): { goal?: string } => ({ goal: text(search.goal) }),
  component: lazyRouteComponent(() => import("./pages/groups/group"), "GroupPage"),
});

const proposals = createRoute({
  getParentRoute: () => project,
  path: "proposals",
  validateSearch: (search): { state?: "all" } => (search.state === "all" ? { state: "all" } : {}),
  component: lazyRouteComponent(() => import("./pages/proposals/proposals"), "ProposalsPage"),
});

const install = createRoute({
  getParentRoute: () => project,
  path: "install",
  component: lazyRouteComponent(() => import("./pages/install/install"), "InstallPage"),
});

const live = createRoute({
  getParentRoute: () => project,
  path: "live",
  validateSearch: (search): { visitor?: string } => ({ visitor: text(search.visitor) }),
  component: lazyRouteComponent(() => import("./pages/live/live"), "LivePage"),
});

const webhooks = createRoute({
  getParentRoute: () => project,
  path: "webhooks",
  component: lazyRouteComponent(() => import("./pages/webhooks/webhooks"), "WebhooksPage"),
});

const webhook = createRoute({
  getParentRoute: () => project,
  path: "webhooks/$webhookId",
  component: lazyRouteComponent(() => import("./pages/webhooks/webhook"), "WebhookPage"),
});

const settings = createRoute({
  getParentRoute: () => app,
  path: "/settings",
  component: lazyRouteComponent(() => import("./pages/settings/settings-layout"), "SettingsLayout"),
});

const settingsHome = createRoute({
  getParentRoute: () => settings,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/settings/projects", replace: true });
  },
});

const people = createRoute({
  getParentRoute: () => settings,
  path: "people",
  loader: ({ context }) => void context.queryClient.prefetchQuery(query("/v2/people", {})),
  component: lazyRouteComponent(() => import("./pages/people/people"), "PeoplePage"),
});

const projects = createRoute({
  getParentRoute: () => settings,
  path: "projects",
  component: lazyRouteComponent(() => import("./pages/projects/projects"), "ProjectsPage"),
});

const projectSettings = createRoute({
  getParentRoute: () => settings,
  path: "projects/$projectKey",
  component: lazyRouteComponent(() => import("./pages/projects/project-settings"), "ProjectSettingsPage"),
});

const exclusions = createRoute({
  getParentRoute: () => settings,
  path: "projects/$projectKey/exclusions",
  component: lazyRouteComponent(() => import("./pages/exclusions/exclusions"), "ExclusionsPage"),
});

const keys = createRoute({
  getParentRoute: () => settings,
  path: "keys",
  loader: ({ context }) => void context.queryClient.prefetchQuery(query("/v2/keys", {})),
  component: lazyRouteComponent(() => import("./pages/keys/keys"), "KeysPage"),
});

const audit = createRoute({
  getParentRoute: () => settings,
  path: "audit",
  validateSearch: (search): AuditSearch => ({
    actor: text(search.actor),
    object: text(search.object),
    project: text(search.project),
    from: text(search.from),
    to: text(search.to),
  }),
  component: lazyRouteComponent(() => import("./pages/audit/audit"), "AuditPage"),
});

interface AuditSearch {
  actor?: string;
  object?: string;
  project?: string;
  from?: string;
  to?: string;
}

const account = createRoute({
  getParentRoute: () => app,
  path: "/account",
  component: lazyRouteComponent(() => import("./pages/account/account"), "AccountPage"),
});

/** Any other address. It is within the frame, so that the navigation is available. */
const unknown = createRoute({ getParentRoute: () => app, path: "$", component: Missing });

const tree = root.addChildren([
  signIn,
  invitation,
  app.addChildren([
    home,
    experiments,
    programme,
    inbox,
    project.addChildren([
      newExperiment,
      experiment.addChildren([
        summary,
        setup.addChildren([
          setupBasics,
          setupVariants,
          setupGoals,
          setupAudience,
          setupTraffic,
          setupSchedule,
          setupReview,
        ]),
        launch,
        results,
        history,
        conclude,
        experimentProposals,
        suspects,
      ]),
      hypotheses,
      newHypothesis,
      hypothesis,
      goals,
      newGoal,
      goal,
      groups,
      newGroup,
      group,
      proposals,
      install,
      live,
      webhooks,
      webhook,
    ]),
    settings.addChildren([settingsHome, people, projects, projectSettings, exclusions, keys, audit]),
    account,
    unknown,
  ]),
]);

export function makeRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    // React Query caches the data; the router caches none.
    defaultPreloadStaleTime: 0,
    // What is typed or open on the page of one experiment must not appear on that of another.
    defaultRemountDeps: ({ params }) => params,
    defaultPendingComponent: Pending,
    defaultErrorComponent: Failed,
    defaultNotFoundComponent: Missing,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
