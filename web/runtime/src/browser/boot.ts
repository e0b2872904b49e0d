// The script begins here. The server puts the ruleset, the settings and the parts that they ask for behind it.

import type { Ruleset } from "../ruleset";
import { nonce, setNonce } from "./changes/trust";
import { hide, type Hidden } from "./hide";
import type { Preview } from "./preview";
import { run } from "./run";
import { nameOf, settings } from "./settings";
import { agent, doc, place, quietly, win } from "./world";

declare const RULESET: Ruleset;
declare const PARTS: Record<string, unknown>;

type Queue = unknown[] & Hidden;

function boot(): void {
  const globals = win as unknown as Record<string, Queue | ReturnType<typeof run> | undefined>;
  const script = doc.currentScript as HTMLScriptElement | null;
  const queue = globals[settings.global] as Queue | undefined;
  setNonce(script?.nonce ?? "");
  // Twice on one page, it is run once.
  if (queue && !Array.isArray(queue)) return;
  if (!settings.base) settings.base = quietly(() => new URL(script!.src).origin) ?? "";

  const start: Preview["start"] = (ruleset, hidden, forced) => {
    const api = (globals[settings.global] = run(ruleset, hidden, forced));
    quietly(() => api.push(...(queue ?? [])));
    hidden?.show();
  };

  // Programs that say what they are; the server knows the others.
  if (settings.bots || !(agent.webdriver || /bot\b|bot[/;]|crawl|spider|headless|lighthouse/i.test(agent.userAgent))) {
    // A tab that was opened for a preview stays one.
    const isPreview = /[?&]test-preview=[^&]/.test(place.search) || quietly(() => win.sessionStorage[nameOf("p")]);
    if (!isPreview) return start(RULESET, queue?.show && queue);
    const preview: Preview = { settings, parts: PARTS, nonce, start, hidden: hide(["html"]) };
    doc.head.append(
      Object.assign(doc.createElement("script"), { src: settings.base + settings.parts + "badge.js", nonce, preview }),
    );
  }
  queue?.show?.();
}

quietly(boot);
