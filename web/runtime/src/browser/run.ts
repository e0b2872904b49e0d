// The run of a page: what the visitor gets is decided, shown and told; again on each route, and when more is known.

import { decide, isInExperiment, type Reason } from "../assign/decide";
import { type Address, isPage } from "../assign/page";
import type { At, Visitor } from "../assign/visitor";
import type { Change, Experiment, Plain, Ruleset, Variant } from "../ruleset";
import { type Armed, named, numbered } from "./armed";
import type { Properties, Take } from "./events";
import { hide, type Hidden } from "./hide";
import type { Geography } from "./identity";
import { ABOUT_MAX, HIDDEN_MAX_MS, NAMES_MAX, RENEW_MS, ROUNDS_MAX, SETTLED_MS, TOLD_MAX } from "./limits";
import { part } from "./parts";
import { recorder } from "./recorder";
import { onRoute, whenActive } from "./route";
import { settings } from "./settings";
import { show, type Stage } from "./show";
import { cookies, reread } from "./storage";
import { visitorOf } from "./visitor";
import { doc, fetching, later, now, here, quietly, random, soon, stringify } from "./world";

export type Listener = (told: object) => void;

/** An arm that the visitor has, met or not yet. */
interface Active extends Armed {
  /** What of its changes is for the page. */
  items: Change[];
  wasLate: boolean;
  stop(route?: boolean): void;
}

/** Whether the page is the one of an address, or one of a pattern. */
const isOn = (page: Address | null | undefined, url: string): boolean =>
  !!page && isPage({ rule: /\*/.test(url) ? "wildcard" : "simple", url }, page);

/** What of an object the server takes: texts, numbers, yes and no. Numbers beyond 2⁵³, mostly ids, become text. */
const plain = (given: object | null | undefined): Properties =>
  Object.fromEntries(
    Object.entries(given ?? {})
      // Strings, booleans and bigints.
      .filter(([, value]) => Number.isFinite(value) || /^(st|b)/.test(typeof value))
      .slice(0, NAMES_MAX)
      .map(([name, value]) => [name, typeof value === "bigint" || value * value > 2 ** 106 ? value + "" : value]),
  );

/** What an experiment changes: hidden while it is not known which arm it will be. */
const selectorsOf = ({ variants }: Experiment): string[] =>
  variants.flatMap(({ data }) => (data ?? []).flatMap((item) => item.target ?? item.rm ?? item.oriEl ?? []));

/** Whether it could be another answer if it were known where the visitor is. */
const dependsOnPlace = (experiment: Experiment, reason: Reason): boolean =>
  (reason === "unknown" || (experiment.test_type === "personalization" && ["audience", "split", "sticky"].includes(reason))) &&
  // It, or one of its variants, has a rule about places: quotes within a text are escaped.
  /"allowed_\w+":\[{/.test(stringify(experiment));

export function run(ruleset: Ruleset, snippet: Hidden | undefined, forced?: At["forced"]) {
  const { goals = [] } = ruleset;
  let { experiments } = ruleset;
  let asked = now();
  /** What is still to be told of arms that are shown, of those together that were shown together. */
  const reports = new Set<(() => void)[]>();
  let shown: (() => void)[] | undefined;
  const report = (some: (() => void)[]): void => {
    if (reports.delete(some)) for (const each of some) quietly(each);
  };
  const { answer, consent, leave, may, record: take, who } = recorder(!!forced, () => {
    for (const some of reports) report(some);
  }, (events) => {
    for (const [event, message] of events) hear("error", { event, message });
    // What is told of health would be dropped for the same reason.
    const dropped = events.filter(([event]) => event.type !== "health").length;
    if (dropped) record({ type: "health", dropped });
  });
  let isAsked = false;
  let isLeaving = false;
  let waiting: Hidden | undefined;
  const isSampled = random() * 100 < settings.health;
  const listeners: [string, Listener][] = [];
  const active = new Map<number, Active>();
  /** Arms that were left last. */
  const gone = new Map<number, Active>();
  let isRouting = false;
  const told: [string, object][] = [];
  const looks: boolean[] = [];
  const rules = part("rules");
  const sourceOf = part("source");
  const past = rules?.memory(ruleset);

  /** Whether the visitor sees the page: then nothing may change under their eyes. */
  const isSeen = (): boolean =>
    // What the lines have shown when their limit was over is seen, whatever the browser tells of its first paint.
    !forced && (!!snippet?.over || (!!performance.getEntriesByType("paint")[0] && (!snippet || snippet.ms != null)));

  /** Records an event, which rules may ask for later. */
  const record: Take = (event, soon) => {
    const { name, value, currency, order_id, refund_of, quantity, properties } = event;
    if (name && may()) {
      past?.add(name as string, { ...(properties as Properties), ...plain({ value, currency, order_id, refund_of, quantity }) });
    }
    take(event, soon);
  };

  function hear(what: string, about: object): void {
    if (told.length < TOLD_MAX) told.push([what, about]);
    for (const [name, listener] of listeners) if (name === what) quietly(() => listener(about));
  }

  const tell = (what: string, armed: Armed, more?: object): void => hear(what, { ...named(armed), ...more });

  const stage: Stage = {
    engine: part("changes"),
    split: part("split"),
    settled(tells) {
      if (!shown) {
        reports.add((shown = []));
        later(report, SETTLED_MS, shown);
        soon(() => (shown = undefined));
      }
      shown.push(tells);
    },
    tools: { track },
    meet(armed) {
      const { experiment: { test_id, epoch }, arm } = armed;
      const { session, met } = who();
      const mark = [test_id, arm, epoch].join(".");
      armed.isMet = true;
      if (!armed.counted) return;
      tell("exposure", armed);
      // Once in a visit and epoch.
      if (session.told.includes(mark)) return;
      session.told.push(mark);
      met.set(test_id, arm);
      armed.isFirst = true;
      record(
        {
          type: "exposure",
          ...numbered(armed),
          epoch,
          context: { url: here(), referrer: session.from, landing_page: session.land, visitor_type: session.type },
        },
        true,
      );
    },
    leave() {
      isLeaving = true;
      leave();
    },
    tell,
    went(armed, apply_ms, late, missing, errors, changes) {
      const hidden_ms = (waiting ?? snippet)?.ms || stage.engine?.hiddenMs() || 0;
      const failed_selectors = missing.length;
      // Who looks at a preview wants to know; on other pages it may be as it should.
      if (forced && missing[0]) tell("error", armed, { message: "matches nothing: " + missing.join(", ") });
      if (isSampled || late || errors || (armed.isFirst && changes))
        record({ type: "health", ...numbered(armed), apply_ms, hidden_ms, late, failed_selectors, errors, changes });
    },
  };

  /** Decides and shows; `late` where the visitor would see it happen. */
  function look(late: boolean): void {
    // What an arm tells while it is being shown is looked at when all are, and is as early or late as they.
    if (looks.push(looks[0] ?? late) > 1) return;
    for (let round = 0; round < ROUNDS_MAX && looks[round] != null; round++) quietly(() => decideAll(looks[round]!));
    looks.length = 0;
  }

  /** Takes away what is no longer due, then shows what is. */
  function decideAll(late: boolean): void {
    const visitor = visitorOf(who(), experiments, rules?.factsOf(who().session, past!.recall(), cookies()));
    const redirects: (() => void)[] = [];
    const others: (() => void)[] = [];
    const unknown: Experiment[] = [];
    for (const experiment of experiments) {
      // What is wrong with one is nothing to the others.
      quietly(() => {
        const decision = decided(experiment, visitor);
        const isUnknown = decision && !who().session.geo && dependsOnPlace(experiment, decision.reason);
        if (isUnknown) unknown.push(experiment);
        const arm = isUnknown || !decision ? null : decision.arm;
        const begin = turned(experiment, arm, !!decision && isInExperiment(decision), visitor, late);
        if (begin) (experiment.test_type === "split" ? redirects : others).push(begin);
      });
    }
    if (unknown[0] && !isAsked) {
      isAsked = true;
      // Hidden once, and for a second with all that was hidden before.
      waiting ??= late ? undefined : hide(unknown.flatMap(selectorsOf), HIDDEN_MAX_MS - (snippet ? now() - snippet.since! : 0));
      void locate();
    }
    // Who is sent on meets nothing else on the page that is left.
    for (const begin of [...redirects, ...others]) if (!isLeaving) quietly(begin);
  }

  /** What the visitor gets of an experiment, if that takes place here. */
  function decided(experiment: Experiment, visitor: Visitor) {
    const { test_type, targeting, variants_data_key } = experiment;
    const said = consent();
    // While nothing is kept, who is sent on would be another visitor on the next page.
    if (["denied", "required"].includes(said) || (said === "memory" && test_type === "split")) return;
    // Rules about pages say where an experiment takes place; without any, the page that it was made for.
    if (!forced && !targeting?.url_rule?.[0] && !isOn(visitor.url, variants_data_key)) return;
    // An expression that this browser does not know lets nobody in.
    return quietly(() => decide(experiment, visitor, { now: now(), forced, isEligible: rules?.isEligible, sourceOf }));
  }

  /** Takes away the arm of before if it is no longer the visitor's, and gives what shows another. */
  function turned(experiment: Experiment, arm: number | null, counted: boolean, visitor: Visitor, late: boolean): (() => void) | undefined {
    const { test_id, variants, control } = experiment;
    const version: Variant | undefined = arm ? variants[arm - 1] : control;
    const items: Change[] = (version?.data ?? []).filter(
      ({ pageUrl, sitewide }) => !pageUrl || sitewide !== false || isOn(visitor.url, pageUrl),
    );
    const before = active.get(test_id);
    // What is the same stays, but that what was too late on one page is in time on the next.
    const isSame = before?.arm === arm && before.items.length === items.length && items.every((item) => before.items.includes(item));
    if (isSame && (late || !before.wasLate)) return;
    before?.stop(isRouting && arm === null);
    active.delete(test_id);
    if (arm === null) {
      if (before) gone.set(test_id, before);
      return;
    }
    const armed: Active = { experiment, arm, version, counted, items, wasLate: late, stop() {} };
    return () => {
      // In its place before it begins: what it does may look again.
      active.set(test_id, armed);
      // Where it is not gone yet from the page of before, it is not there twice.
      gone.get(test_id)?.stop();
      armed.stop = show(armed, items, late, stage);
    };
  }

  /** Asks the server which experiments go on, once a while: what has ended goes; what is new comes with the next load. */
  async function renew(): Promise<void> {
    if (forced || now() - asked < RENEW_MS) return;
    asked = now();
    const answer = await fetching(settings.base + settings.ruleset);
    if (!answer.ok) return;
    const going = ((await answer.json()) as Ruleset).experiments;
    const left = experiments.filter(({ test_id }) => going.some((other) => other.test_id === test_id));
    if (left.length === experiments.length) return;
    for (const [id, { experiment, stop }] of active) if (!left.includes(experiment)) active.delete(id), quietly(stop);
    experiments = left;
  }

  /** Asks the server where the visitor is. Not known it stays where that fails, and rules about it hold for nobody. */
  async function locate(): Promise<void> {
    try {
      const answer = await fetching(settings.base + settings.geo);
      const geo = (await answer.json()) as Geography;
      if (answer.ok) {
        who().session.geo = geo;
        look(!waiting || !!waiting.over);
      }
    } catch {
      // Nothing changes.
    }
    waiting?.show();
  }

  function track(name: string, given?: Properties | null): void {
    const { value, currency, order_id, refund_of, quantity, ...properties } = plain(given);
    // An order without an amount or a currency is an event like others.
    const amount = /^-?\d{1,15}(\.\d+)?$/.test(value + "") ? +value! : undefined;
    if (amount == null && value != null) properties.value = value;
    record({
      type: amount != null && /^[a-z]{3}$/i.test(currency + "") ? "order" : "custom",
      name: name + "",
      value: amount,
      currency: currency && (currency + "").toUpperCase(),
      order_id: order_id != null ? order_id + "" : order_id,
      refund_of: refund_of != null ? refund_of + "" : refund_of,
      quantity: +quantity! >= 0 && +quantity! <= 1e9 ? +quantity! : undefined,
      properties,
    });
  }

  const calls = {
    track,
    /** Fires a `script` goal. */
    trigger: (trigger: string): void => record({ type: "script", trigger: trigger + "" }),
    identify(user: string | null, attributes?: Record<string, Plain | string[]> | null): void {
      reread();
      const { session } = who();
      const audiences = attributes?.audiences;
      if (audiences) session.audiences = ([] as unknown[]).concat(audiences).map(String);
      const about: typeof session.about = { ...session.about, ...plain(attributes), ...(user != null && { user_id: user + "" }) };
      if (user === null) delete about.user_id;
      // It goes with every batch: with too much of it the server would take none.
      if (Object.keys(about).length <= NAMES_MAX && stringify(about).length <= ABOUT_MAX) session.about = about;
      record({ type: "identify", attributes: session.about });
      look(isSeen());
    },
    /** In the words of consent managers, too. */
    consent(said: unknown): void {
      reread();
      answer(said === true || said === "granted");
      look(isSeen());
    },
    /** The arm that the visitor has met on this page, by the experiment's key. */
    variant: (key: string): string | null => {
      const armed = [...active.values()].find(({ experiment, isMet }) => isMet && experiment.experiment_key === key);
      return armed ? named(armed).variant : null;
    },
    on(wanted: string, listener: Listener): void {
      listeners.push([wanted, listener]);
      // The first arms are shown before any call is heard.
      for (const [name, about] of told) if (name === wanted) quietly(() => listener(about));
    },
  };

  let from = doc.referrer;
  const pageview = (): void => {
    const [url, referrer] = [here(), from];
    from = url;
    // Who is sent on does not look at the page: with two views no visitor of that arm would seem to bounce.
    whenActive(() => isLeaving || record({ type: "pageview", url, referrer }));
  };
  look(isSeen());
  const again = part("goals")?.(goals, record);
  part("orders")?.(record);
  pageview();
  onRoute((isNext) => {
    isAsked = false;
    reread();
    void renew().catch(() => {});
    isRouting = isNext;
    look(false);
    isRouting = false;
    pageview();
    again?.();
  });

  // Nothing that a page calls throws.
  const call = ([name, ...given]: [keyof typeof calls, ...unknown[]]): unknown =>
    (calls[name] as (...given: unknown[]) => unknown)(...given);
  const safe = Object.keys(calls).map((name) => [name, (...given: unknown[]) => quietly(() => call([name as keyof typeof calls, ...given]))]);
  return {
    ...(Object.fromEntries(safe) as typeof calls),
    push(...entries: unknown[]): void {
      for (const entry of entries) quietly(() => call(entry as never));
    },
  };
}
