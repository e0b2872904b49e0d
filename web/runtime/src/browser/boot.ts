// The script begins here. The server puts the ruleset, the settings and the parts that they ask for behind it.

import type { Ruleset } from "../ruleset";
import { setNonce, signed, trusted } from "./changes/trust";
import { hide, type Hidden } from "./hide";
import type { Preview } from "./preview";
import { run } from "./run";
import { nameOf, settings } from "./settings";
import { cookies, kept } from "./storage";
import { agent, doc, place, quietly, soon, win } from "./world";

declare const RULESET: Ruleset;
declare const PARTS: Record<string, unknown>;

/** Calls that wait, with what the snippet hides; with its methods it is the page API. */
type Queue = unknown[] & Partial<Hidden & ReturnType<typeof run>>;

function boot(script: HTMLScriptElement | null): void {
  const globals = win as unknown as Record<string, Queue>;
  // What else has the name is an element's id.
  if (!Array.isArray(globals[settings.global])) globals[settings.global] = [] as unknown[] as Queue;
  const queue = globals[settings.global]!;
  setNonce(script?.nonce ?? "");
  // Twice on one page, it is run once.
  if (queue.track) return;
  // Whatever the page's own base is.
  settings.base = new URL(settings.base || (script?.src ? new URL(script.src).origin : "/"), place.href).href.replace(
    /\/$/,
    "",
  );

  const start: Preview["start"] = (ruleset, hidden, forced) => {
    // The same object as before: the page may have it in a variable.
    try {
      const calls = queue.splice(0);
      Object.assign(queue, run(ruleset, hidden, forced)).push(...calls, ...queue.splice(0));
    } finally {
      hidden?.show();
    }
  };

  // Programs that say what they are; the server knows the others.
  if (
    settings.bots ||
    !(agent.webdriver || /[^u]bot\b|bot[/;]|crawl|spider|headless|lighthouse/i.test(agent.userAgent))
  ) {
    // A tab that was opened for a preview stays one.
    const isPreview =
      /[?&]test-preview=[^&]/.test(place.search) || (kept("p") && quietly(() => win.sessionStorage[nameOf("p")]));
    // For the first time here, where few functions are under way: see below.
    cookies();
    if (!isPreview) return start(RULESET, queue.show && (queue as Hidden));
    const hidden = hide(["html"]);
    const preview: Preview = { settings, project: RULESET.project_key, parts: PARTS, signed, trusted, start, hidden };
    const src = trusted("createScriptURL", settings.base + settings.parts + "badge.js");
    doc.head.append(Object.assign(signed(doc.createElement("script")), { src, preview, onerror: hidden.show }));
  } else {
    // Their pages call it all the same.
    for (const name of ["push", "track", "trigger", "identify", "consent", "variant", "on"] as const)
      queue[name] = () => null as never;
  }
  queue.show?.();
}

const script = doc.currentScript as HTMLScriptElement | null;
// Before the browser goes on with the page, but not below the script as a whole: where a page asks for cookies, Chromium notes the place,
// and to know that it reads all functions again that are under way.
soon(() => quietly(() => boot(script)));
