// Every route, on one page. A page is its own chunk: `page` imports it when somebody goes there, or is about to.

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
import { localPath, parseSearch, stringifySearch, text } from "./lib/search";
import { readFilters } from "./pages/experiments/filters";
import { Failed, Missing, Pending } from "./shell/fallbacks";

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  // Outside of the frame, which has the landmark otherwise.
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

// Before the sign-in.

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

// Behind it.

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

const project = createRoute({
  getParentRoute: () => app,
  path: "/p/$projectKey",
});

// An experiment: its header and tabs, with a page below each.

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

const tree = root.addChildren([
  signIn,
  invitation,
  app.addChildren([
    home,
    experiments,
    project.addChildren([experiment.addChildren([summary, setup.addChildren([setupBasics])])]),
    settings.addChildren([settingsHome, people, projects, projectSettings, keys, audit]),
    account,
  ]),
]);

export function makeRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    // Data is Query's; the router keeps none.
    defaultPreloadStaleTime: 0,
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
