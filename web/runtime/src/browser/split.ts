// Split tests on addresses: the visitor is sent on before the page is seen.

import type { Change } from "../ruleset";
import { hide } from "./hide";
import { TURN_MS, TURNS_MAX } from "./limits";
import { now, place, quietly, win } from "./world";

/** The address that a redirect leads to, with the page's parameters and fragment; its own count more. */
function destination({ url, relay_param, target, rm, refEl, oriEl }: Change): string | undefined {
  return quietly(() => {
    // An address beside a change of the page is no redirect.
    if (!url || (target ?? rm ?? refEl ?? oriEl)) return;
    const to = new URL(url, place.href);
    if (!/^http/.test(to.protocol)) return;
    if (relay_param !== false) {
      const own = new Set(to.searchParams.keys());
      new URLSearchParams(place.search).forEach((value, name) => own.has(name) || to.searchParams.append(name, value));
      to.hash ||= place.hash;
    }
    return to.href;
  });
}

/** Whether this tab may be sent on; asking counts. Without a place to count in it may not. */
const mayTurn = (key: string): boolean | undefined =>
  quietly(() => {
    const [turns, at] = (win.sessionStorage.getItem(key) ?? "0.0").split(".").map(Number) as [number, number];
    const next = now() - at < TURN_MS ? turns + 1 : 1;
    win.sessionStorage.setItem(key, next + "." + now());
    return next <= TURNS_MAX;
  });

/**
 * How to leave for a redirect's address; nothing where the visitor is there already, and null when this tab was sent on too
 * often. `key` is where turns are counted.
 */
export function split(redirect: Change, key: string): (() => void) | null | undefined {
  const address = destination(redirect);
  if (!address || address === place.href) return;
  if (!mayTurn(key)) return null;
  return () => {
    // Browsers go on painting the page that is left.
    hide(["html"]);
    place.replace(address);
  };
}
