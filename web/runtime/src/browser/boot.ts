// The script begins here. The server puts the ruleset, the settings and the parts that they ask for behind it.

import type { Ruleset } from "../ruleset";
import { hide, type Hidden } from "./hide";
import { type Parts, run } from "./run";
import type { Settings } from "./settings";
import { agent, doc, fetching, parse, place, quietly, stringify, win } from "./world";

declare const RULESET: Ruleset;
declare const SETTINGS: Settings;
declare const PARTS: Parts;

/** Programs that say what they are; the server knows the others. */
const BOTS = /bot\b|bot[/;]|crawl|spider|headless|lighthouse/i;

type Queue = unknown[] & Partial<Hidden>;
type Preview = [test: string, variant: string, token: string];

/** The preview that this tab was opened for. */
function previewed({ global }: Settings): Preview | undefined {
  const query = new URLSearchParams(place.search);
  const test = query.get("test-preview");
  const { sessionStorage } = win;
  if (test) sessionStorage.setItem(global + "_p", stringify([test, query.get("test-variant"), query.get("test-token")]));
  return parse(sessionStorage.getItem(global + "_p") ?? "null") ?? undefined;
}

/** Loads a part from the server. */
function load(settings: Settings, part: string, nonce: string, data: Record<string, string>): void {
  const script = doc.createElement("script");
  script.src = settings.base + settings.parts + part;
  script.nonce = nonce;
  Object.assign(script.dataset, data);
  doc.head.append(script);
}

function boot(): void {
  const globals = win as unknown as Record<string, Queue | ReturnType<typeof run> | undefined>;
  const script = doc.currentScript as HTMLScriptElement | null;
  const settings = { ...SETTINGS, base: SETTINGS.base || (quietly(() => new URL(script!.src).origin) ?? "") };
  const nonce = script?.nonce ?? "";
  const queue = globals[settings.global] as Queue | undefined;
  // Twice on one page, it is run once.
  if (queue && !Array.isArray(queue)) return;
  const show = (): void => void queue?.show?.();
  if (!settings.bots && (agent.webdriver || BOTS.test(agent.userAgent))) return show();

  const start = (ruleset: Ruleset, hidden: Hidden | undefined, forced?: { test_id: number; variant_id: string }): void => {
    const api = run(ruleset, settings, PARTS, nonce, hidden, forced);
    globals[settings.global] = api;
    quietly(() => api.push(...(queue ?? [])));
    hidden?.show();
  };

  const preview = quietly(() => previewed(settings));
  if (preview) {
    const [test, variant, token] = preview;
    const arm = variant.replace(/\D+/g, "");
    const hidden = hide(["html"]);
    show();
    fetching(`${settings.base + settings.preview}/${test}?token=${encodeURIComponent(token)}`)
      .then((answer) => (answer.ok ? answer.json() : Promise.reject()))
      .then((ruleset: Ruleset) => {
        start(ruleset, hidden, { test_id: +test, variant_id: arm });
        load(settings, "badge.js", nonce, { arm, test, global: settings.global });
      })
      .catch(() => {
        hidden.show();
        load(settings, "badge.js", nonce, { global: settings.global });
      });
  } else {
    start(RULESET, queue?.show && (queue as unknown as Hidden));
  }
}

quietly(boot);
