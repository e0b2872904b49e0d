// The entry of the script. The server appends the ruleset, the settings and the parts that they need as arguments.

import type { Ruleset } from "../ruleset";
import { setNonce, signed, trusted } from "./changes/trust";
import { hide, type HiddenElements } from "./hide";
import { QUEUE_MAX } from "./limits";
import type { PreviewInput } from "./preview";
import { run } from "./run";
import { nameOf, settings } from "./settings";
import { cookies, readLocal } from "./storage";
import { browser, doc, pageLocation, quietly, inMicrotask, win } from "./world";

declare const RULESET: Ruleset;
declare const PARTS: Record<string, unknown>;

type Methods = ReturnType<typeof run>;
type Call = [name: keyof Methods, ...given: unknown[]];

/**
 * The queue of early calls, with the fields of the first inline snippet. Once it has the methods, it is the page API. The keys of the
 * projects whose scripts run on the page are properties that have their name as value. `preview` has the parameters of a preview link
 * that one of them has removed from the address.
 */
type CallQueue = Call[] &
  Partial<HiddenElements & Methods> & { preview?: unknown } & { [project: `prj_${string}`]: string };

function boot(script: HTMLScriptElement | null): void {
  const globals = win as unknown as Record<string, CallQueue>;
  // Any other value is the element whose id is this name.
  if (!Array.isArray(globals[settings.global])) globals[settings.global] = [] as Call[] as CallQueue;
  const queue = globals[settings.global]!;
  setNonce(script?.nonce ?? "");
  // If the script of a project is on the page twice, it runs once.
  const key = RULESET.project_key as `prj_${string}`;
  if (queue[key]) return;
  queue[key] = key;
  // Independent of the page's `<base>`.
  settings.base =
    new URL(settings.base || (script?.src ? new URL(script.src).origin : "/"), pageLocation.href).href.replace(
      /\/$/,
      "",
    ) + settings.prefix;

  // The elements hidden by the snippet right before this script, else by the first snippet on the page.
  const hidden =
    (script?.previousElementSibling as { muriel?: HiddenElements } | null | undefined)?.muriel ??
    (queue.show && (queue as HiddenElements));

  const start: PreviewInput["start"] = (ruleset, hidden, forced) => {
    try {
      const methods = run(ruleset, hidden, forced) as Record<string, (...given: unknown[]) => unknown>;
      const call = (entry: Call): unknown =>
        quietly(() => {
          const [name, ...given] = entry;
          return methods[name]!(...given);
        });
      // The methods of another project's script, which also gets all calls.
      const { push, track, variant } = queue;
      const early = [...queue];
      // Keep the object: the page may hold a reference to it.
      queue.push = (...entries) => {
        // The first calls stay in the queue, for the scripts of other projects that come later.
        if (track || queue.length < QUEUE_MAX) push.apply(queue, entries);
        for (const entry of entries) call(entry);
        return undefined as never;
      };
      for (const name in methods) queue[name as "track"] = (...given) => void queue.push([name as "track", ...given]);
      queue.variant = (key) => (call(["variant", key]) ?? variant?.(key) ?? null) as string | null;
      for (const entry of early) call(entry);
    } finally {
      hidden?.show();
    }
  };

  // Crawlers that identify themselves do not take part; the server detects the others.
  if (
    settings.bots ||
    !(
      browser.webdriver ||
      // Phones may have such a word in their name, which follows the version of Android: `CUBOT`, `M BOT 51`.
      /bot\b|crawl|spider|headless|lighthouse/i.test(browser.userAgent.replace(/android[^)/]*(build\/|[;)])/i, ""))
    )
  ) {
    // A tab that was opened as a preview remains a preview.
    const isPreview =
      /[?&]test-preview=[^&]/.test(pageLocation.search) ||
      // Another project's script has removed the link from the address.
      queue.preview ||
      (readLocal("p_") && quietly(() => win.sessionStorage[nameOf("p_")]));
    // Read cookies here, while few functions are on the stack: see below.
    cookies();
    if (!isPreview) return start(RULESET, hidden);
    const page = hide(["html"]);
    const preview: PreviewInput = {
      settings,
      project: RULESET.project_key,
      parts: PARTS,
      signed,
      trusted,
      start,
      hidden: page,
    };
    const src = trusted("createScriptURL", settings.base + "/js/parts/badge.js");
    doc.head.append(Object.assign(signed(doc.createElement("script")), { src, preview, onerror: page.show }));
  } else if (!queue.track) {
    // The page calls the API regardless, so it gets no-ops.
    for (const name of ["push", "track", "trigger", "identify", "consent", "variant", "on"] as const)
      queue[name] = () => null as never;
  }
  hidden?.show();
}

const script = doc.currentScript as HTMLScriptElement | null;
// A microtask runs before the browser continues with the page, but without the whole script on the stack: `document.cookie` makes
// Chromium record the call stack, for which it parses every function on it again.
inMicrotask(() => quietly(() => boot(script)));
