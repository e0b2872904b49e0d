// Decides and shows the visitor's arms on a page. Decides again on each route, and when more facts are known.

import { type Decision, decide, isInExperiment } from "../assign/decide";
import type { DecisionContext, Visitor } from "../assign/visitor";
import type { Experiment, Ruleset, Variant } from "../ruleset";
import { changesOn, isHere } from "./applies";
import { type ActiveArm, replaceArm, retainArms } from "./arms";
import { pageApi } from "./calls";
import type { Consent } from "./consent";
import type { HiddenElements } from "./hide";
import { DECISION_ROUNDS_MAX } from "./limits";
import { on } from "./listeners";
import { part } from "./parts";
import { consent, mayRecord, record, reportLost, startRecorder, visitorNow, currentVisitor } from "./recorder";
import { renewal } from "./renew";
import { onRoute, whenActive } from "./route";
import { endpoint } from "./settings";
import { show } from "./show";
import { isLeaving, noteHidden, track } from "./stage";
import { clearCookieCache } from "./storage";
import { doc, pageUrl, now, quietly } from "./world";

/**
 * Serialises calls of `look`. An arm that is being shown may call again, for example by `identify`: that call waits until all
 * arms are shown, and inherits whether the first one was late.
 */
function serialized(look: (late: boolean) => void): (late: boolean) => void {
  const queued: boolean[] = [];
  return (late) => {
    if (queued.push(queued[0] ?? late) > 1) return;
    for (let round = 0; round < DECISION_ROUNDS_MAX && queued[round] != null; round++)
      quietly(() => look(queued[round]!));
    queued.length = 0;
  };
}

let lastUrl = doc.referrer;

/** Records a page view, unless the visitor is redirected. */
function recordPageview(): void {
  const [url, referrer] = [pageUrl(), lastUrl];
  lastUrl = url;
  // A redirected visitor does not see the page: with two page views no visitor of that arm would count as bounced.
  whenActive(() => isLeaving || record({ type: "pageview", url, referrer }));
}

/** Decides an experiment; undefined if it does not apply to this page or consent does not allow it. */
function decisionFor(
  experiment: Experiment,
  visitor: Visitor,
  said: Consent,
  forced: DecisionContext["_forced"],
): Decision | undefined {
  // While nothing is stored, a redirected visitor would be a new visitor on the next page.
  if (["denied", "required"].includes(said) || (said === "memory" && experiment.test_type === "split")) return;
  if (!forced && !isHere(experiment, visitor.url)) return;
  // If this browser does not accept a regular expression, nobody is eligible.
  return quietly(() =>
    decide(experiment, visitor, {
      now: now(),
      _forced: forced,
      _isEligible: part("rules")?._isEligible,
      _sourceOf: part("source"),
    }),
  );
}

/** The arm of a decision, with its changes for this page; undefined if the visitor gets no arm. */
function activeArmFor(
  experiment: Experiment,
  decision: Decision | undefined,
  page: Visitor["url"],
  wasLate: boolean,
): ActiveArm | undefined {
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
    _stop() {},
  };
}

/**
 * Starts the script on the page and returns the page API. `snippet` has the elements that the inline snippet has
 * hidden, `forced` is the arm that a preview requests.
 */
export function run(ruleset: Ruleset, snippet: HiddenElements | undefined, forced?: DecisionContext["_forced"]) {
  let { experiments } = ruleset;
  let isRouting = false;
  startRecorder(ruleset, forced);
  if (snippet) noteHidden(snippet);
  const locator = part("rules")?._locator(
    endpoint("geo"),
    snippet,
    (geo, late) => {
      currentVisitor()._session.geo = geo;
      look(late);
    },
    noteHidden,
  );
  const shown = (armed: ActiveArm): ActiveArm["_stop"] => show(armed, armed._items, armed._wasLate);

  /** Removes arms that no longer apply, then shows those that do; `late` if the visitor would see the change. */
  const look = serialized((late) => {
    const visitor = visitorNow(experiments);
    const redirects: (() => void)[] = [];
    const others: (() => void)[] = [];
    const unknown: Experiment[] = [];
    for (const experiment of experiments) {
      // An error in one experiment must not affect the others.
      quietly(() => {
        let decision = decisionFor(experiment, visitor, consent(), forced);
        if (decision && !currentVisitor()._session.geo && locator?._decides(experiment, decision.reason)) {
          unknown.push(experiment);
          decision = undefined;
        }
        const begin = replaceArm(experiment, activeArmFor(experiment, decision, visitor.url, late), isRouting, shown);
        if (begin) (experiment.test_type === "split" ? redirects : others).push(begin);
      });
    }
    locator?._request(unknown, late);
    // A redirected visitor is exposed to nothing else on the page that is left.
    for (const begin of [...redirects, ...others]) if (!isLeaving) quietly(begin);
  });

  const renew = renewal((isGoing) => {
    experiments = experiments.filter(isGoing);
    retainArms(experiments);
  });

  /** Decides again. If the page may have been painted, nothing on it may change visibly. */
  const lookAgain = (): void =>
    look(
      // After the snippet's timeout the page is visible, even if the browser has not reported a first paint.
      !forced && (!!snippet?.over || (!!performance.getEntriesByType("paint")[0] && (!snippet || snippet.ms != null))),
    );

  const tell = part("tools")?.(experiments, on, currentVisitor, () => !isLeaving && mayRecord(), record);
  lookAgain();
  const again = part("goals")?.(ruleset.goals ?? [], record);
  part("orders")?._watch(track, reportLost);
  recordPageview();
  onRoute((isNext) => {
    locator?._allow();
    clearCookieCache();
    if (!forced) void renew().catch(() => {});
    isRouting = isNext;
    look(false);
    isRouting = false;
    recordPageview();
    again?.();
  });
  return pageApi(() => {
    lookAgain();
    // Tools are notified after consent of the arms to which the visitor was exposed before.
    tell?.();
  });
}
