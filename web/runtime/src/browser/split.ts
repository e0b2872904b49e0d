// Split tests by URL: the visitor is redirected before the page is painted.

import type { Change } from "../ruleset";
import { hide } from "./hide";
import { REDIRECT_WINDOW_MS, REDIRECTS_MAX } from "./limits";
import { now, pageLocation, quietly, win } from "./world";

/** The destination of a redirect, with the page's parameters and fragment; its own take precedence. */
function destination({ url, relay_param, target, rm, refEl, oriEl }: Change): string | undefined {
  return quietly(() => {
    // An item with `url` and a change of the page is not a redirect.
    if (!url || (target ?? rm ?? refEl ?? oriEl)) return;
    const to = new URL(url, pageLocation.href);
    if (!/^http/.test(to.protocol)) return;
    if (relay_param !== false) {
      const own = new Set(to.searchParams.keys());
      new URLSearchParams(pageLocation.search).forEach(
        (value, name) => own.has(name) || to.searchParams.append(name, value),
      );
      to.hash ||= pageLocation.hash;
    }
    return to.href;
  });
}

/** Counts a redirect of this tab, and returns whether it is allowed. Without session storage it is not. */
const mayRedirect = (key: string): boolean | undefined =>
  quietly(() => {
    const [turns, at] = (win.sessionStorage.getItem(key) ?? "0.0").split(".").map(Number) as [number, number];
    const next = now() - at < REDIRECT_WINDOW_MS ? turns + 1 : 1;
    win.sessionStorage.setItem(key, next + "." + now());
    return next <= REDIRECTS_MAX;
  });

/**
 * Returns a function that redirects; undefined if the page is the destination, and null if this tab was redirected too often.
 * `key` is the session storage item that counts redirects.
 */
export function split(redirect: Change, key: string): (() => void) | null | undefined {
  const address = destination(redirect);
  if (!address || address === pageLocation.href) return;
  if (!mayRedirect(key)) return null;
  return () => {
    // Browsers continue to paint the page while they load the next one.
    hide(["html"]);
    pageLocation.replace(address);
  };
}
