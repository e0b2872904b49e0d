// Split tests by URL: the visitor is redirected before the page is painted.

import type { Change } from "../ruleset";
import { hide } from "./hide";
import { REDIRECT_WINDOW_MS, REDIRECTS_MAX, SESSION_TIMEOUT_MS } from "./limits";
import { doc, now, pageLocation, quietly, win } from "./world";

/** The destination of a redirect, with the page's parameters and fragment added; its own take precedence. */
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

const withoutFragment = (address: string): string => address.replace(/#.*/, "");

/**
 * Counts a redirect of this tab, and returns whether it is allowed. It is not allowed without session storage, nor for
 * half an hour after the destination has sent the visitor back: the page that the redirect left is then loaded again at
 * once, as its own referrer or too often.
 */
function mayRedirect(key: string): boolean | undefined {
  return quietly(() => {
    const [turns, at] = (win.sessionStorage.getItem(key) ?? "0.0").split(".").map(Number) as [number, number];
    const isStopped = turns > REDIRECTS_MAX;
    const isRecent = now() - at < (isStopped ? SESSION_TIMEOUT_MS : REDIRECT_WINDOW_MS);
    const isBack = isRecent && (turns >= REDIRECTS_MAX || doc.referrer === withoutFragment(pageLocation.href));
    if (!isStopped || !isRecent)
      win.sessionStorage.setItem(key, (isBack ? REDIRECTS_MAX : isRecent ? turns : 0) + 1 + "." + now());
    return !isBack;
  });
}

/**
 * Returns a function that redirects. Returns undefined if the page is the destination, and null if this tab is not
 * redirected; `failed` then gets the reason. `key` is the session storage item that counts redirects.
 */
export function split(
  redirect: Change,
  key: string,
  failed: (message: string) => void,
): (() => void) | null | undefined {
  const address = destination(redirect);
  if (!address || address === pageLocation.href) return;
  const may = mayRedirect(key);
  if (may === false) failed(`sent back: ${address} leads to this page again`);
  if (!may) return null;
  return () => {
    // Browsers continue to paint the page while they load the next one.
    hide(["html"]);
    // Another route of an application is in the same document, which has to be loaded like any other destination.
    const isSame = withoutFragment(address) === withoutFragment(pageLocation.href);
    pageLocation.replace(address);
    if (isSame) pageLocation.reload();
  };
}
