// The run of a page: who gets what is decided, shown and told; again on each route, and when more is known.

import { armName, decide, isInExperiment } from "../assign/decide";
import { type Address, isPage } from "../assign/page";
import type { At, Occurrence } from "../assign/visitor";
import type { Change, Experiment, Plain, Ruleset, Targeting } from "../ruleset";
import type { runCode } from "./changes/code";
import type { applyChanges } from "./changes/mutate";
import { applyCss } from "./changes/sheet";
import { answer, consented } from "./consent";
import type { EventFields } from "./events";
import type { watch } from "./goals";
import { hide, type Hidden } from "./hide";
import { erase, type Geography, recognise, store } from "./identity";
import type { watchLayer } from "./layer";
import { onRoute, whenActive } from "./route";
import type { Settings } from "./settings";
import type { split } from "./split";
import { keep, kept } from "./storage";
import { type Stamped, transport, uuid } from "./transport";
import { when } from "./trigger";
import { visitorOf } from "./visitor";
import { doc, fetching, later, listen, now, parse, place, quietly, random, stringify } from "./world";

export type Armed = { experiment: Experiment; arm: number; counted: boolean };
export type Listener = (told: { experiment_key: string; test_id: number; variant: string; message?: string }) => void;

/** Functions that the script carries only where the ruleset asks for them. */
export interface Parts {
  source?: NonNullable<At["sourceOf"]>;
  changes?: typeof applyChanges;
  code?: typeof runCode;
  split?: typeof split;
  goals?: typeof watch;
  orders?: typeof watchLayer;
}

const PLACES = ["allowed_country", "allowed_region", "allowed_city"] as const;
const asksWhere = (rules: Targeting | null | undefined): boolean => PLACES.some((rule) => rules?.[rule]?.[0]);
const TOLD_MAX = 100;
const EVENTS_MAX = 100;

/** Whether an experiment takes place on a page: by its rules about pages, without any by the page that it was made for. */
function isHere({ targeting, variants_data_key: url }: Experiment, page: Address | null): boolean {
  return !!targeting?.url_rule?.[0] || (!!page && isPage({ rule: url.includes("*") ? "wildcard" : "simple", url, allowed: true }, page));
}

/** What an experiment changes first: hidden while it is not known which arm it will be. */
const selectorsOf = ({ variants }: Experiment): string[] =>
  variants.flatMap(({ data }) => (data ?? []).flatMap((item) => item.target ?? item.rm ?? item.oriEl ?? []));

export function run(ruleset: Ruleset, settings: Settings, parts: Parts, nonce: string, snippet: Hidden | undefined, forced?: At["forced"]) {
  const { global } = settings;
  let consent = forced ? "granted" : consented(settings);
  let who = recognise(settings);
  let audiences: string[] | undefined;
  let geo = who.session.geo;
  let asked = false;
  let waiting: Hidden | undefined;
  /** Until the page is really looked at, nothing is told of it. */
  let held: Stamped[] | undefined = [];
  const listeners: [string, Listener][] = [];
  const active = new Map<number, Armed & { is: string; stop(): void }>();
  const watched = new Set(ruleset.experiments.flatMap(({ targeting }) => targeting?.event_rule ?? []).map(({ name }) => name));
  const sampled = random() * 100 < settings.health;
  // What is painted already must not change under the visitor's eyes.
  let late = performance.getEntriesByType("paint").length > 0 && !(snippet && !snippet.over);

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
    for (const test of who.arms.keys()) if (!ruleset.experiments.some(({ test_id }) => test_id === test)) who.arms.delete(test);
    store(settings, who);
  }

  const tell = (what: string, { experiment, arm }: Armed, message?: string): void =>
    listeners.forEach(([name, listener]) => {
      if (name === what) {
        const { experiment_key, test_id } = experiment;
        quietly(() => listener({ experiment_key, test_id, variant: armName(arm), ...(message ? { message } : {}) }));
      }
    });

  /** The visitor meets the arm, in this visit and epoch for the first time. */
  function expose(armed: Armed): void {
    const { experiment, arm, counted } = armed;
    const { session } = who;
    const mark = [experiment.test_id, arm, experiment.epoch].join(".");
    tell("exposure", armed);
    if (!counted || session.told.includes(mark)) return;
    session.told = [...session.told, mark].slice(-TOLD_MAX);
    who.arms.set(experiment.test_id, arm);
    record(
      {
        type: "exposure",
        test_id: experiment.test_id,
        variant_id: `${arm}`,
        epoch: experiment.epoch,
        context: { url: place.href, referrer: session.from, landing_page: session.land, visitor_type: session.type },
      },
      true,
    );
  }

  /** Shows an arm when it is due; what comes back takes it away. */
  function enter(armed: Armed, items: Change[], isLate: boolean): () => void {
    const { experiment, arm } = armed;
    const { test_id, trigger_variant_change: word } = experiment;
    const code = (arm ? experiment.variants[arm - 1] : experiment.control) ?? {};
    const undo: (() => void)[] = [];
    let gone = false;
    let errors = 0;
    const failed = (message: string): void => {
      errors += 1;
      tell("error", armed, message);
    };
    const start = (): void => {
      const since = performance.now();
      const leave = items[0]?.url ? parts.split?.(items[0], global + "_r" + test_id) : undefined;
      if (leave === null) return;
      if (isLate && !word) return health(0, 1, 0);
      expose(armed);
      if (leave) return queue.leave(), leave();
      undo.push(applyCss((experiment.custom_css ?? "") + "\n" + (code.customCSS ?? "")));
      const changes = parts.changes?.(items, experiment.dom_change_path !== "once", failed);
      if (changes) undo.push(changes.undo);
      const took = performance.now() - since;
      const scripts = (): void => {
        if (gone) return;
        for (const source of [experiment.custom_js, code.customJS]) {
          if (source && parts.code) undo.push(parts.code(source, nonce, `${global}-${test_id}-${arm}`, { ...armedFor(armed), track }, failed));
        }
        later(() => health(took, 0, changes?.missing().length ?? 0), 5_000);
      };
      if (doc.readyState !== "loading" || experiment.dom_change_path === "early") scripts();
      else listen(doc, "DOMContentLoaded", scripts);
    };
    /** How it went, of some page views; what went wrong, of all. */
    function health(apply_ms: number, late: number, failed_selectors: number): void {
      if (!sampled && !errors && !late) return;
      const hidden_ms = waiting?.ms ?? snippet?.ms ?? 0;
      record({ type: "health", test_id, variant_id: `${arm}`, apply_ms: Math.round(apply_ms * 10) / 10, hidden_ms, late, failed_selectors, errors });
    }
    undo.push(when(word, () => gone || quietly(start)));
    return () => {
      gone = true;
      undo.reverse().forEach((each) => quietly(each));
    };
  }

  const armedFor = ({ experiment: { test_id, experiment_key }, arm }: Armed) => ({ test_id, experiment_key, variant: armName(arm) });

  /** Decides about everything, takes away what is no longer due, then shows what is. */
  function look(isLate: boolean): void {
    if (consent !== "granted" && (consent === "denied" || settings.consent === "required")) {
      active.forEach(({ stop }) => stop());
      active.clear();
      return;
    }
    const sticky = new Map(ruleset.experiments.map((each) => [each.experiment_key, who.arms.get(each.test_id)]));
    sticky.forEach((arm, key) => arm === undefined && sticky.delete(key));
    const visitor = visitorOf({
      id: who.id,
      type: who.session.type,
      from: who.session.from,
      geo,
      audiences,
      attributes: who.session.about,
      events: done(),
      sticky: sticky as Map<string, number>,
    });
    const at = { now: now(), forced, sourceOf: parts.source };
    const page = visitor.url ?? null;
    const due: [Armed, Change[], string][] = [];
    const unknown: Experiment[] = [];
    for (const experiment of ruleset.experiments) {
      const { test_id, targeting, test_type, variants } = experiment;
      const here = !!forced || isHere(experiment, page);
      const where = asksWhere(targeting) || variants.some((variant) => asksWhere(variant.targeting));
      // An expression that this browser does not know is nobody's.
      let { arm, reason } = (here && quietly(() => decide(experiment, visitor, at))) || { arm: null, reason: "targeting" as const };
      if (here && !geo && where && (reason === "unknown" || test_type === "personalization")) {
        // It may still come to be known.
        arm = null;
        unknown.push(experiment);
      }
      const items = ((arm && variants[arm - 1]?.data) || []).filter(
        ({ pageUrl, sitewide }) => !pageUrl || sitewide !== false || (page && isPage({ rule: "simple", url: pageUrl, allowed: true }, page)),
      );
      const is = arm + stringify(items);
      const running = active.get(test_id);
      if (running && running.is !== is) {
        running.stop();
        active.delete(test_id);
      }
      if (arm !== null && !active.has(test_id)) {
        due.push([{ experiment, arm, counted: isInExperiment({ arm, reason }) }, items, is]);
      }
    }
    if (unknown[0] && !asked) {
      asked = true;
      waiting = isLate ? undefined : hide(unknown.flatMap(selectorsOf));
      quietly(locate);
    }
    for (const [armed, items, is] of due) {
      // In its place before it begins: what it does may look again.
      const running = { ...armed, is, stop: () => {} };
      active.set(armed.experiment.test_id, running);
      running.stop = enter(armed, items, isLate);
    }
  }

  /** Asks the server where the visitor is. */
  async function locate(): Promise<void> {
    try {
      who.session.geo = geo = (await (await fetching(settings.base + settings.geo)).json()) as Geography;
    } catch {
      // Not known it stays, and those rules hold for nobody.
    }
    look(!waiting || waiting.over);
    waiting?.show();
  }

  /** What the visitor did before, as far as rules ask. */
  const done = (): Occurrence[] =>
    watched.size > 0
      ? (quietly(() => parse(kept(global + "_e") || "[]") as [string, number, Record<string, Plain>][]) ?? []).map(([name, at, attributes]) => ({
          name,
          at,
          attributes: new Map(Object.entries(attributes)),
        }))
      : [];

  function track(name: string, properties: Record<string, Plain> = {}): void {
    const { value, currency, order_id, quantity, ...others } = properties;
    if (watched.has(name) && maySend()) {
      const before = quietly(() => parse(kept(global + "_e") || "[]") as unknown[]) ?? [];
      keep(global + "_e", stringify([...before, [name, now(), properties]].slice(-EVENTS_MAX)));
    }
    record({
      type: currency && typeof value === "number" ? "order" : "custom",
      name,
      value,
      currency,
      order_id,
      quantity,
      properties: others,
    });
  }

  const api = {
    push(...calls: unknown[]): void {
      for (const call of calls as [keyof typeof api, ...never[]][]) quietly(() => (api[call[0]] as (...given: never[]) => void)(...(call.slice(1) as never[])));
    },
    track,
    /** Fires a `script` goal. */
    trigger: (trigger: string): void => record({ type: "script", trigger }),
    identify(user: string | null, attributes: Record<string, Plain | string[]> = {}): void {
      const { audiences: names, ...others } = attributes;
      if (names) audiences = names as string[];
      who.session.about = { ...who.session.about, ...(others as Record<string, Plain>), ...(user ? { user_id: user } : {}) };
      record({ type: "identify", attributes: who.session.about });
      look(late);
    },
    consent(granted: boolean): void {
      consent = granted ? "granted" : "denied";
      if (granted) {
        answer(settings, consent);
        save();
        look(true);
        queue.resume();
      } else {
        queue.drop();
        erase(settings);
        who = recognise(settings);
        answer(settings, consent);
        look(true);
      }
    },
    /** The arm that is shown, by the experiment's key. */
    variant(key: string): string | null {
      for (const { experiment, arm } of active.values()) if (experiment.experiment_key === key) return armName(arm);
      return null;
    },
    on: (name: string, listener: Listener): void => void listeners.push([name, listener]),
  };

  const pageview = (referrer: string): void => record({ type: "pageview", referrer });
  look(late);
  const again = parts.goals?.(ruleset.goals ?? [], record);
  parts.orders?.(record);
  let from = place.href;
  onRoute(() => {
    late = false;
    asked = asked && !!geo;
    look(false);
    pageview(from);
    from = place.href;
    again?.();
  });
  pageview(doc.referrer);
  whenActive(() => {
    const waited = held ?? [];
    held = undefined;
    waited.forEach((event) => queue.send(event, event.type === "exposure"));
  });
  return api;
}
