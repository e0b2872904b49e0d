// The run of a page: what the visitor gets is decided, shown and told; again on each route, and when more is known.

import { type Decision, decide, isInExperiment } from "../assign/decide";
import { type Address, isPage } from "../assign/page";
import type { At } from "../assign/visitor";
import type { Experiment, Plain, Ruleset, Variant } from "../ruleset";
import { type Armed, named, numbered } from "./armed";
import { type Consent, consented } from "./consent";
import { nonce } from "./changes/trust";
import type { EventFields, Properties } from "./events";
import { hide, type Hidden } from "./hide";
import { erase, type Geography, recognise, store } from "./identity";
import { TOLD_MAX } from "./limits";
import { memory } from "./memory";
import { part } from "./parts";
import { onRoute } from "./route";
import { settings } from "./settings";
import { show } from "./show";
import { keep } from "./storage";
import { transport, uuid } from "./transport";
import { visitorOf } from "./visitor";
import { doc, fetching, now, place, quietly, random, stringify } from "./world";

export type Listener = (told: object) => void;

/** Whether the page is the one of an address, or one of a pattern. */
const isOn = (page: Address | null | undefined, url: string): boolean =>
  !!page && isPage({ rule: /\*/.test(url) ? "wildcard" : "simple", url }, page);

/** What an experiment changes: hidden while it is not known which arm it will be. */
const selectorsOf = ({ variants }: Experiment): string[] =>
  variants.flatMap(({ data }) => (data ?? []).flatMap((item) => item.target ?? item.rm ?? item.oriEl ?? []));

export function run(ruleset: Ruleset, snippet: Hidden | undefined, forced?: At["forced"]) {
  const { experiments, goals = [] } = ruleset;
  let consent: Consent = forced ? "granted" : consented();
  let who = recognise();
  let audiences: string[] | undefined;
  let isAsked = false;
  let waiting: Hidden | undefined;
  // What is painted already must not change under the visitor's eyes.
  let isLate = (performance.getEntriesByType("paint")[0] && (!snippet || snippet.over)) as boolean;
  let isSentOn = false;
  const isSampled = random() * 100 < settings.health;
  const listeners: [string, Listener][] = [];
  const active = new Map<number, Armed & { is: string; wasLate: boolean; stop(): void }>();
  const sourceOf = part("source");
  const past = memory(ruleset);

  const maySend = (): boolean => !forced && ["granted", "assumed"].includes(consent);
  const queue = transport(() =>
    // Of a page that the browser only prepares, nothing is told before it is looked at.
    maySend() && !(doc as { prerendering?: boolean }).prerendering
      ? { visitor: { id: who.id, attributes: who.session.about }, consent: consent === "granted" ? consent : "unknown" }
      : undefined,
  );

  function record(event: EventFields, soon?: boolean): void {
    if (forced || consent === "denied") return;
    queue.send({ id: uuid(), at: new Date(), session: who.session.id, url: place.href, ...event }, soon);
    void save();
  }

  let isSaving = false;
  /** Writes down who this is, once for all that happens now: browsers take their time with cookies. */
  async function save(): Promise<void> {
    if (isSaving) return;
    isSaving = true;
    await 0;
    isSaving = false;
    if (maySend()) store(who, experiments);
  }

  const tell = (what: string, armed: Armed, more?: object): void =>
    listeners.forEach(([name, listener]) => name === what && quietly(() => listener({ ...named(armed), ...more })));

  const stage = {
    engine: part("changes")?.(nonce),
    split: part("split"),
    tools: { track },
    meet(armed: Armed): void {
      const { experiment: { test_id, epoch }, arm } = armed;
      const { session, arms } = who;
      const mark = [test_id, arm, epoch].join(".");
      tell("exposure", armed);
      // Once in a visit and epoch.
      if (!armed.counted || session.told.includes(mark)) return;
      session.told = [...session.told, mark].slice(-TOLD_MAX);
      arms.set(test_id, arm);
      record(
        {
          type: "exposure",
          ...numbered(armed),
          epoch,
          context: { url: place.href, referrer: session.from, landing_page: session.land, visitor_type: session.type },
        },
        true,
      );
    },
    leave(): void {
      isSentOn = true;
      queue.leave();
    },
    tell,
    /** Of some page views how it went; of all, what went wrong. */
    went(armed: Armed, apply_ms: number, late: number, failed_selectors: number, errors: number): void {
      const hidden_ms = (waiting ?? snippet)?.ms ?? 0;
      if (isSampled || late || errors) record({ type: "health", ...numbered(armed), apply_ms, hidden_ms, late, failed_selectors, errors });
    },
  };

  /** Decides about everything, takes away what is no longer due, then shows what is. */
  function look(late: boolean): void {
    const visitor = visitorOf(who, audiences, past.recall(), experiments);
    const { url } = visitor;
    const at = { now: now(), forced, sourceOf };
    const due: (() => void)[] = [];
    const unknown: Experiment[] = [];
    for (const experiment of experiments) {
      const { test_id } = experiment;
      // Rules about pages say where an experiment takes place; without any, the page that it was made for.
      const isHere =
        !["denied", "required"].includes(consent) &&
        (forced || experiment.targeting?.url_rule?.[0] || isOn(url, experiment.variants_data_key));
      // An expression that this browser does not know lets nobody in.
      const decision = isHere && quietly(() => decide(experiment, visitor, at));
      let arm = decision ? decision.arm : null;
      if (decision && !who.session.geo && (decision.reason === "unknown" || experiment.test_type === "personalization") && /"allowed_\w+":\[{/.test(stringify(experiment))) {
        // It, or one of its variants, has a rule about places (quotes within a text are escaped), and where the visitor is may
        // still come to be known.
        arm = null;
        unknown.push(experiment);
      }
      const version: Variant | undefined = arm ? experiment.variants[arm - 1] : experiment.control;
      const items = (version?.data ?? []).filter(
        ({ pageUrl, sitewide }) => !pageUrl || sitewide !== false || isOn(url, pageUrl),
      );
      const is = arm + stringify(items);
      const before = active.get(test_id);
      // What was too late on one page is in time on the next.
      if (before?.is === is && (late || !before.wasLate)) continue;
      before?.stop();
      active.delete(test_id);
      if (arm === null) continue;
      const armed = { experiment, arm, version, counted: isInExperiment(decision as Decision), is, wasLate: late, stop: () => {} };
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
    due.forEach(quietly);
  }

  /** Asks the server where the visitor is. Not known it stays where that fails, and rules about it hold for nobody. */
  async function locate(): Promise<void> {
    try {
      who.session.geo = (await (await fetching(settings.base + settings.geo)).json()) as Geography;
      look(!waiting || (waiting.over as boolean));
    } catch {
      // Nothing changes.
    }
    waiting?.show();
  }

  function track(name: string, properties: Properties = {}): void {
    const { value, currency, order_id, quantity, ...others } = properties;
    if (maySend()) past.add(name, properties);
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
        erase();
        who = recognise();
      }
      keep("c", consent);
      void save();
      look(true);
      queue.resume();
    },
    /** The arm that is shown, by the experiment's key. */
    variant(key: string): string | null {
      return [...active.values()].map(named).find(({ experiment_key }) => experiment_key === key)?.variant ?? null;
    },
    on(...wanted: [name: string, listener: Listener]): void {
      listeners.push(wanted);
    },
  };

  let from = doc.referrer;
  const pageview = (): void => {
    // Who is sent on does not look at the page: with two views no visitor of that arm would seem to bounce.
    if (isSentOn) return;
    record({ type: "pageview", referrer: from });
    from = place.href;
  };
  look(isLate);
  const again = part("goals")?.(goals, record);
  part("orders")?.(record);
  pageview();
  onRoute(() => {
    isAsked = isLate = false;
    // Since the browser has put a page aside, the visitor may have met more elsewhere.
    const known = recognise();
    if (known.id === who.id) who = known;
    look(false);
    pageview();
    again?.();
  });
  return api;
}
