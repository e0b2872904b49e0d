// The run of a page: what the visitor gets is decided and shown; again on each route, and when more is known.

import { type Decision, decide, isInExperiment } from "../assign/decide";
import type { At, Visitor } from "../assign/visitor";
import type { Experiment, Ruleset, Variant } from "../ruleset";
import { changesOn, dependsOnPlace, isHere } from "./applies";
import { type Active, replaceArm, retainArms } from "./arms";
import { pageApi } from "./calls";
import type { Consent } from "./consent";
import type { Hidden } from "./hide";
import { ROUNDS_MAX } from "./limits";
import { askAgain, askPlace, onLocated } from "./locate";
import { part } from "./parts";
import { consent, record, startRecorder, visitorNow, who } from "./recorder";
import { renewal } from "./renew";
import { onRoute, whenActive } from "./route";
import { show } from "./show";
import { isLeaving } from "./stage";
import { reread } from "./storage";
import { doc, here, now, quietly } from "./world";

/**
 * Queues calls of `look` and runs them one after the other. An arm that is being shown may call again, for example by
 * `identify`: that call waits until all arms are shown, and takes over whether the first one was late.
 */
function rounds(look: (late: boolean) => void): (late: boolean) => void {
  const queued: boolean[] = [];
  return (late) => {
    if (queued.push(queued[0] ?? late) > 1) return;
    for (let round = 0; round < ROUNDS_MAX && queued[round] != null; round++) quietly(() => look(queued[round]!));
    queued.length = 0;
  };
}

let from = doc.referrer;

/** Records a page view, unless the visitor is sent on to another page. */
function pageview(): void {
  const [url, referrer] = [here(), from];
  from = url;
  // Who is sent on does not look at the page: with two views no visitor of that arm would seem to bounce.
  whenActive(() => isLeaving || record({ type: "pageview", url, referrer }));
}

/** Decides an experiment; undefined where it does not take place on this page, or where consent does not allow it. */
function decided(experiment: Experiment, visitor: Visitor, said: Consent, forced: At["_forced"]): Decision | undefined {
  // While nothing is kept, who is sent on would be another visitor on the next page.
  if (["denied", "required"].includes(said) || (said === "memory" && experiment.test_type === "split")) return;
  if (!forced && !isHere(experiment, visitor.url)) return;
  // An expression that this browser does not know lets nobody in.
  return quietly(() =>
    decide(experiment, visitor, {
      now: now(),
      _forced: forced,
      _isEligible: part("rules")?._isEligible,
      _sourceOf: part("source"),
    }),
  );
}

/** The arm that a decision gives, with its changes for this page; undefined where the visitor gets none. */
function armOf(
  experiment: Experiment,
  decision: Decision | undefined,
  page: Visitor["url"],
  wasLate: boolean,
): Active | undefined {
  const arm = decision?._arm;
  if (arm == null) return;
  const version: Variant | undefined = arm ? experiment.variants[arm - 1] : experiment.control;
  const counted = isInExperiment(decision!);
  return {
    _experiment: experiment,
    _arm: arm,
    _version: version,
    _counted: counted,
    _items: changesOn(version, page),
    _wasLate: wasLate,
    stop() {},
  };
}

/**
 * Begins the run, and gives the page API. `snippet` is what the inline snippet hides until then, `forced` the arm that a
 * preview asks for.
 */
export function run(ruleset: Ruleset, snippet: Hidden | undefined, forced?: At["_forced"]) {
  let { experiments } = ruleset;
  let isRouting = false;
  startRecorder(ruleset, !!forced);
  onLocated(snippet, (geo, late) => {
    who().session.geo = geo;
    look(late);
  });
  const shown = (armed: Active): Active["stop"] => show(armed, armed._items, armed._wasLate);

  /** Takes away what is no longer due, then shows what is; `late` where the visitor would see it happen. */
  const look = rounds((late) => {
    const visitor = visitorNow(experiments);
    const redirects: (() => void)[] = [];
    const others: (() => void)[] = [];
    const unknown: Experiment[] = [];
    for (const experiment of experiments) {
      // What is wrong with one is nothing to the others.
      quietly(() => {
        let decision = decided(experiment, visitor, consent(), forced);
        if (decision && !who().session.geo && dependsOnPlace(experiment, decision.reason)) {
          unknown.push(experiment);
          decision = undefined;
        }
        const begin = replaceArm(experiment, armOf(experiment, decision, visitor.url, late), isRouting, shown);
        if (begin) (experiment.test_type === "split" ? redirects : others).push(begin);
      });
    }
    askPlace(unknown, late);
    // Who is sent on meets nothing else on the page that is left.
    for (const begin of [...redirects, ...others]) if (!isLeaving) quietly(begin);
  });

  const renew = renewal((isGoing) => {
    experiments = experiments.filter(isGoing);
    retainArms(experiments);
  });

  /** Decides again, where the page may have been seen: then nothing may change under the visitor's eyes. */
  const lookAgain = (): void =>
    look(
      // What the lines have shown when their limit was over is seen, whatever the browser tells of its first paint.
      !forced && (!!snippet?.over || (!!performance.getEntriesByType("paint")[0] && (!snippet || snippet.ms != null))),
    );

  lookAgain();
  const again = part("goals")?.(ruleset.goals ?? [], record);
  part("orders")?.(record);
  pageview();
  onRoute((isNext) => {
    askAgain();
    reread();
    if (!forced) void renew().catch(() => {});
    isRouting = isNext;
    look(false);
    isRouting = false;
    pageview();
    again?.();
  });
  return pageApi(lookAgain);
}
