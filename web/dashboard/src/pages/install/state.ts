// State of the installation, from the server's two times: the last fetch and the last event.

import type { Schemas } from "~/api/query";

export type Install = Schemas["Install"];

/**
 * Installation state.
 *
 * - `nothing`: nobody has requested the script.
 * - `fetched`: somebody has, and no page has sent an event in the last seven days.
 * - `quiet`: the last event is older than a day.
 * - `works`: events arrive.
 */
export type InstallState = "nothing" | "fetched" | "quiet" | "works";

const QUIET_AFTER_MS = 86_400_000;

export function stateOf({ last_script_fetch, last_event }: Install, now = Date.now()): InstallState {
  if (last_event !== null) return now - Date.parse(last_event) > QUIET_AFTER_MS ? "quiet" : "works";
  return last_script_fetch === null ? "nothing" : "fetched";
}
