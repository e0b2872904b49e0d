// The entry of the script. The server appends the ruleset, the settings and the parts that they need as arguments.

import type { Ruleset } from "../ruleset";
import { setNonce, signed, trusted } from "./changes/trust";
import { hide, type HiddenElements } from "./hide";
import type { PreviewInput } from "./preview";
import { run } from "./run";
import { nameOf, settings } from "./settings";
import { cookies, readLocal } from "./storage";
import { browser, doc, pageLocation, quietly, inMicrotask, win } from "./world";

declare const RULESET: Ruleset;
declare const PARTS: Record<string, unknown>;

/** The queue of early calls, with the fields of the snippet. Once it has the methods, it is the page API. */
type CallQueue = unknown[] & Partial<HiddenElements & ReturnType<typeof run>>;

function boot(script: HTMLScriptElement | null): void {
  const globals = win as unknown as Record<string, CallQueue>;
  // Any other value is the element whose id is this name.
  if (!Array.isArray(globals[settings.global])) globals[settings.global] = [] as unknown[] as CallQueue;
  const queue = globals[settings.global]!;
  setNonce(script?.nonce ?? "");
  // The script is on the page twice: run once.
  if (queue.track) return;
  // Independent of the page's `<base>`.
  settings.base =
    new URL(
      settings.base || (script?.src ? new URL(script.src).origin : "/"),
      pageLocation.href,
    ).href.replace(/\/$/, "") + settings.prefix;

  const start: PreviewInput["start"] = (ruleset, hidden, forced) => {
    // Keep the object: the page may hold a reference to it.
    try {
      const calls = queue.splice(0);
      Object.assign(queue, run(ruleset, hidden, forced)).push(...calls, ...queue.splice(0));
    } finally {
      hidden?.show();
    }
  };

  // Crawlers that identify themselves do not take part; the server detects the others.
  if (
    settings.bots ||
    !(browser.webdriver || /[^u]bot\b|bot[/;]|crawl|spider|headless|lighthouse/i.test(browser.userAgent))
  ) {
    // A tab that was opened as a preview stays one.
    const isPreview =
      /[?&]test-preview=[^&]/.test(pageLocation.search) ||
      (readLocal("p") && quietly(() => win.sessionStorage[nameOf("p")]));
    // Read cookies here, while few functions are on the stack: see below.
    cookies();
    if (!isPreview) return start(RULESET, queue.show && (queue as HiddenElements));
    const hidden = hide(["html"]);
    const preview: PreviewInput = {
      settings,
      project: RULESET.project_key,
      parts: PARTS,
      signed,
      trusted,
      start,
      hidden,
    };
    const src = trusted("createScriptURL", settings.base + "/js/parts/badge.js");
    doc.head.append(Object.assign(signed(doc.createElement("script")), { src, preview, onerror: hidden.show }));
  } else {
    // The page calls the API regardless, so it gets no-ops.
    for (const name of ["push", "track", "trigger", "identify", "consent", "variant", "on"] as const)
      queue[name] = () => null as never;
  }
  queue.show?.();
}

const script = doc.currentScript as HTMLScriptElement | null;
// A microtask runs before the browser continues with the page, but without the whole script on the stack: `document.cookie` makes
// Chromium record the call stack, for which it parses every function on it again.
inMicrotask(() => quietly(() => boot(script)));
