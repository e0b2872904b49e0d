// The signed-in person and their permissions.

import { type QueryClient, queryOptions, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { setCsrf } from "./client";
import { ApiFailure } from "./failure";
import { read, type Schemas, send } from "./query";

export type Session = Schemas["SessionAnswer"];
export type Role = Schemas["RoleName"];
export type Scope = Schemas["ScopeName"];

/** The session; null if nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ["session"] as const,
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      const session = await read("/v2/session", {}, signal);
      setCsrf(session.csrf);
      return session;
    } catch (thrown) {
      if (thrown instanceof ApiFailure && thrown.status === 401) return null;
      throw thrown;
    }
  },
  staleTime: 5 * 60_000,
});

/** Starts the session of an answer. The cache is cleared, because its data belonged to the previous user. */
export function beginSession(cache: QueryClient, session: Session): void {
  cache.clear();
  setCsrf(session.csrf);
  cache.setQueryData(sessionQuery.queryKey, session);
}

export async function signOut(cache: QueryClient): Promise<void> {
  await send("delete", "/v2/session", {});
  sessionStorage.clear();
  cache.clear();
  setCsrf("");
  cache.setQueryData(sessionQuery.queryKey, null);
}

/** Session that the frame provides to its pages. */
export const SessionContext = createContext<Session | undefined>(undefined);

/** Returns the session, on pages behind the sign-in. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("useSession must be used within the frame");
  return session;
}

/** Returns a function that reads the session again, after a change of the signed-in person or of projects. */
export function useRefreshSession(): () => Promise<void> {
  const cache = useQueryClient();
  return () => cache.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

const RANKS: Role[] = ["viewer", "editor", "admin", "owner"];

/** Returns whether `role` is `least` or a higher one. */
export function isAtLeast(role: Role, least: Role): boolean {
  return RANKS.indexOf(role) >= RANKS.indexOf(least);
}

/** Roles that a person with `role` may assign: none above their own. */
export function rolesUpTo(role: Role): Role[] {
  return RANKS.slice(0, RANKS.indexOf(role) + 1);
}

/** Returns whether the session has `scope` in a project. The server decides; this only hides what would be refused. */
export function may(session: Session, projectKey: string, scope: Scope): boolean {
  return session.projects.some((project) => project.project_key === projectKey && project.scopes.includes(scope));
}
