// Destination of a user who is sent to another site to sign in, and comes back at `/`.

import { localPath } from "./search";

const KEY = "muriel-destination";

export function keepDestination(path: string): void {
  sessionStorage.setItem(KEY, path);
}

/** Returns the destination and forgets it. */
export function takeDestination(): string | undefined {
  const path = localPath(sessionStorage.getItem(KEY));
  sessionStorage.removeItem(KEY);
  return path;
}
