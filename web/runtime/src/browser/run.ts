// The run of a page: what the visitor gets is decided, shown and told; again on each route, and when more is known.

import { decide, isInExperiment } from "../assign/decide";
import { type Address, isPage } from "../assign/page";
import type { At } from "../assign/visitor";
import type { Change, Experiment, Plain, Ruleset, Targeting } from "../ruleset";
import { type Armed, named } from "./armed";
import { answer, consented } from "./consent";
import type { changes } from "./changes";
import type { EventFields, Properties } from "./events";
import type { watch } from "./goals";
import { hide, type Hidden } from "./hide";
import { erase, type Geography, recognise, store } from "./identity";
import type { watchLayer } from "./layer";
import { memory } from "./memory";
import { onRoute, whenActive } from "./route";
import type { Settings } from "./settings";
import { show } from "./show";
import type { split } from "./split";
import { kept } from "./storage";
import { type Stamped, transport, uuid } from "./transport";
import { visitorOf } from "./visitor";
import { doc, fetching, now, place, quietly, random, stringify } from "./world";

/** Functions that the script carries only where the ruleset asks for them. */
export interface Parts {
  changes?: typeof changes;
  split?: typeof split;
  source?: NonNullable<At["sourceOf"]>;
  goals?: typeof watch;
  orders?: typeof watchLayer;
}

export type Listener = (told: object) => void;

const TOLD_MAX = 100;
const PLACES = ["allowed_country", "allowed_region", "allowed_city"] as const;
const asksWhere = (rules: Targeting | null | undefined): boolean => PLACES.some((rule) => rules?.[rule]?.[0]);

/** Whether the page is the one of an address, or one of a pattern. */
const isOn = (page: Address | null, url: string): boolean =>
  !!page && isPage({ rule: url.includes("*") ? "wildcard" : "simple", url, allowed: true }, page);

/** What an experiment changes: hidden while it is not known which arm it will be. */
const selectorsOf = ({ variants }: Experiment): string[] =>
  variants.flatMap(({ data }) => (data ?? []).flatMap((item) => item.target ?? item.rm ?? item.oriEl ?? []));

export function run(ruleset: Ruleset, settings: Settings, parts: Parts, nonce: string, snippet: Hidden | undefined, forced?: At["forced"]) {
  const { experiments, goals = [] } = ruleset;
  const { global, base } = settings;
  let consent = forced ? "granted" : consented(settings);
  let who = recognise(settings);
  let audiences: string[] | undefined;
  let isAsked = false;
  let waiting: Hidden | undefined;
  /** Until the page is really looked at, nothing is told of it. */
  let held: Stamped[] | undefined = [];
  // What is painted already must not change under the visitor's eyes.
  let isLate = performance.getEntriesByType("paint").length > 0 && !(snippet && !snippet.over);
  const isSampled = random() * 100 < settings.health;
  const listeners: [string, Listener][] = [];
  const active = new Map<number, Armed & { is: string; late: boolean; stop(): void }>();
  const past = memory(ruleset, global + "_e");

  const maySend = (): boolean => consent === "granted" && !forced;
  const queue = transport(settings, () =>
    maySend() ? { visitor: { id: who.id, attributes: who.session.about }, consent: kept(global + "_c") ? consent : "unknown" } : undefined,
  );

  function record(event: EventFields, soon?: boolean): void {
    if (forced || consent === "denied") return;
    const stamped = { id: uuid(now()), at: new Date(now()).toISOString(), session: who.session.id, url: place.href, ...event };
    if (held) held.push(stamped);
    else queue.send(stamped, soon);
    save();
  }

  function save(): void {
    if (!maySend()) return;
    // Ended experiments need not be remembered.
    who.arms.forEach((_, test) => experiments.some(({ test_id }) => test_id === test) || who.arms.delete(test));
    store(settings, who);
  }

  const tell = (what: string, armed: Armed, more?: object): void =>
    listeners.forEach(([name, listener]) => name === what && quietly(() => listener({ ...named(armed), ...more })));

  const stage = {
    engine: parts.changes?.(nonce),
    split: parts.split,
    global,
    tools: { track },
    meet(armed: Armed): void {
      const { experiment: { test_id, epoch }, arm, counted } = armed;
      const { session } = who;
      const mark = [test_id, arm, epoch].join(".");
      tell("exposure", armed);
      // Once in a visit and epoch.
      if (!counted || session.told.includes(mark)) return;
      session.told = [...session.told, mark].slice(-TOLD_MAX);
      who.arms.set(test_id, arm);
      record(
        {
          type: "exposure",
          test_id,
          variant_id: `${arm}`,
          epoch,
          context: { url: place.href, referrer: session.from, landing_page: session.land, visitor_type: session.type },
        },
        true,
      );
    },
    leave(go: () => void): void {
      queue.leave();
      go();
    },
    failed: (armed: Armed, message: string): void => tell("error", armed, { message }),
    /** Of some page views how it went; of all, what went wrong. */
    went({ experiment: { test_id }, arm }: Armed, apply_ms: number, late: number, failed_selectors: number, errors: number): void {
      const hidden_ms = (waiting ?? snippet)?.ms ?? 0;
      if (isSampled || late || errors) record({ type: "health", test_id, variant_id: `${arm}`, apply_ms, hidden_ms, late, failed_selectors, errors });
    },
  };

  /** Decides about everything, takes away what is no longer due, then shows what is. */
  function look(late: boolean): void {
    const visitor = visitorOf(who, audiences, past.recall(), experiments);
    const page = visitor.url ?? null;
    const at = { now: now(), forced, sourceOf: parts.source };
    const due: (() => void)[] = [];
    const unknown: Experiment[] = [];
    for (const experiment of experiments) {
      const { test_id, targeting, test_type, variants, variants_data_key } = experiment;
      // Rules about pages say where an experiment takes place; without any, the page that it was made for.
      const isHere =
        consent !== "denied" &&
        (consent === "granted" || settings.consent === "memory") &&
        (forced || targeting?.url_rule?.[0] || isOn(page, variants_data_key));
      // An expression that this browser does not know lets nobody in.
      const decision = (isHere && quietly(() => decide(experiment, visitor, at))) || { arm: null, reason: "targeting" as const };
      let { arm } = decision;
      if (isHere && !who.session.geo && (decision.reason === "unknown" || test_type === "personalization") && [experiment, ...variants].some((each) => asksWhere(each.targeting))) {
        // Where the visitor is may still come to be known.
        arm = null;
        unknown.push(experiment);
      }
      const items: Change[] = ((arm && variants[arm - 1]?.data) || []).filter(
        ({ pageUrl, sitewide }) => !pageUrl || sitewide !== false || isOn(page, pageUrl),
      );
      const is = arm + stringify(items);
      const before = active.get(test_id);
      // What was too late on one page is in time on the next.
      if (before?.is === is && (late || !before.late)) continue;
      before?.stop();
      active.delete(test_id);
      if (arm === null) continue;
      const armed = { experiment, arm, counted: isInExperiment(decision), is, late, stop: () => {} };
      due.push(() => {
        // In its place before it begins: what it does may look again.
        active.set(test_id, armed);
        armed.stop = show(armed, items, late, stage);
      });
    }
    if (unknown[0] && !isAsked) {
      isAsked = true;
      waiting = late ? undefined : hide(unknown.flatMap(selectorsOf));
      void locate();
    }
    due.forEach((begin) => quietly(begin));
  }

  /** Asks the server where the visitor is. Not known it stays where that fails, and rules about it hold for nobody. */
  async function locate(): Promise<void> {
    try {
      who.session.geo = (await (await fetching(base + settings.geo)).json()) as Geography;
      look(!waiting || waiting.over);
    } catch {
      // Nothing changes.
    }
    waiting?.show();
  }

  function track(name: string, properties: Properties = {}): void {
    const { value, currency, order_id, quantity, ...others } = properties;
    if (maySend()) past.add(name, properties);
    const type = currency && typeof value === "number" ? "order" : "custom";
    record({ type, name, value, currency, order_id, quantity, properties: others });
  }

  const api = {
    push(...calls: unknown[]): void {
      for (const [name, ...given] of calls as [keyof typeof api, ...never[]][]) quietly(() => (api[name] as (...given: never[]) => void)(...given));
    },
    track,
    /** Fires a `script` goal. */
    trigger: (trigger: string): void => record({ type: "script", trigger }),
    identify(user: string | null, attributes: Record<string, Plain | string[]> = {}): void {
      const { audiences: names, ...others } = attributes;
      if (names) audiences = names as string[];
      Object.assign(who.session.about, others, user && { user_id: user });
      record({ type: "identify", attributes: who.session.about });
      look(isLate);
    },
    consent(isGranted: boolean): void {
      consent = isGranted ? "granted" : "denied";
      if (!isGranted) {
        queue.drop();
        erase(settings);
        who = recognise(settings);
      }
      answer(settings, consent as "granted");
      save();
      look(true);
      queue.resume();
    },
    /** The arm that is shown, by the experiment's key. */
    variant(key: string): string | null {
      for (const armed of active.values()) if (armed.experiment.experiment_key === key) return named(armed).variant;
      return null;
    },
    on: (name: string, listener: Listener): void => void listeners.push([name, listener]),
  };

  let from = doc.referrer;
  const pageview = (): void => {
    record({ type: "pageview", referrer: from });
    from = place.href;
  };
  whenActive(() => {
    const waited = held ?? [];
    held = undefined;
    waited.forEach((event) => queue.send(event, event.type === "exposure"));
  });
  look(isLate);
  const again = parts.goals?.(goals, record);
  parts.orders?.(record);
  pageview();
  onRoute(() => {
    isAsked = isLate = false;
    look(false);
    pageview();
    again?.();
  });
  return api;
}
