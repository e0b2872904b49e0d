// Split tests on addresses: the visitor is sent on before the page is seen.

import type { Change } from "../ruleset";
import { hide } from "./hide";
import { now, place, quietly, win } from "./world";

/** How often one experiment may send a tab on within ten seconds: a page that sends back would go round for ever. */
const TURNS_MAX = 2;
const TURN_MS = 10_000;

/** The address that a redirect leads to from here, or nothing where it leads nowhere else. */
export function destination({ url, relay_param }: Change): string | undefined {
  const to = quietly(() => new URL(url as string, place.href));
  if (!to) return;
  if (relay_param !== false) {
    // The target's own parameters count more than those of the page.
    new URLSearchParams(place.search).forEach((value, name) => {
      if (!new URLSearchParams(new URL(url as string, place.href).search).has(name)) to.searchParams.append(name, value);
    });
    to.hash ||= place.hash;
  }
  return to.href === place.href ? undefined : to.href;
}

/** Whether this tab may be sent on; asking counts as a turn. Without a place to count in it may not. */
export function mayTurn(key: string): boolean {
  return quietly(() => {
    const [turns, at] = (win.sessionStorage.getItem(key) ?? "0.0").split(".").map(Number) as [number, number];
    const next = now() - at < TURN_MS ? turns + 1 : 1;
    win.sessionStorage.setItem(key, next + "." + now());
    return next <= TURNS_MAX;
  }) ?? false;
}

/** Leaves for the address. Browsers go on painting the page that is left, so it is hidden. */
export function leaveFor(address: string): void {
  hide(["html"]);
  place.replace(address);
}
