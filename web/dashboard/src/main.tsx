import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { onSessionEnd } from "./api/client";
import { ApiFailure } from "./api/failure";
import { sessionQuery } from "./api/session";
import { trackNavigations } from "./api/settled";
import { startTheme } from "./lib/theme";
import { makeRouter } from "./routes";
import "./styles/app.css";

startTheme();

const MAX_ATTEMPTS = 2;

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // Only a server that restarts is worth a retry. A refused request would be refused again.
      retry: (failures, error) =>
        failures < MAX_ATTEMPTS && error instanceof ApiFailure && (error.status === 0 || error.status === 503),
    },
  },
});

const router = makeRouter(queryClient);
trackNavigations(router);

onSessionEnd(() => {
  if (queryClient.getQueryData(sessionQuery.queryKey) == null) return;
  queryClient.setQueryData(sessionQuery.queryKey, null);
  // Leads to the sign-in, and from there back to the page. Typed values are kept in this tab.
  void router.navigate({ to: "/sign-in", search: { to: router.state.location.href }, ignoreBlocker: true });
});

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no element with the id app");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
