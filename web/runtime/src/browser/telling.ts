// Notifies the tools on the page of the arm to which the visitor was exposed: once in a visit for each experiment and
// tool, never before consent, and without delaying anything.

import { armName } from "../assign/decide";
import type { Experiment } from "../ruleset";
import type { RecordEvent } from "./events";
import type { Identity } from "./identity";
import { ARMS_MAX, TOOL_MARKS_MAX, TOOL_POLL_MS, TOOL_TIMEOUT_MS } from "./limits";
import type { on } from "./listeners";
import { readLocal, storeLocal } from "./storage";
import { type Telling, TOOLS } from "./tools";
import { clearTimer, now, parse, quietly, startTimer, stringify } from "./world";

/** The stored state of a visit. */
interface StoredVisit {
  id: string;
  /** The tools that were notified: `test.tool`. */
  told: string[];
  /** Arms of which tools are still to be notified, by `test_id`: a page may be left before a tool has loaded. */
  owed: Record<string, number>;
}

/** A tool that is on the page and has to be notified. */
type DueTool = [name: string, tell: Telling];

/**
 * Notifies tools of arms from now on. Returns a function that has to be called when consent may have changed.
 *
 * `listen` adds a listener for exposures, `mayTell` returns whether this visitor may be recorded and stays on this
 * page, and `record` records which tools were notified.
 */
export function watchArms(
  experiments: Experiment[],
  listen: typeof on,
  visitor: () => Identity,
  mayTell: () => boolean,
  record: RecordEvent,
): () => void {
  const known = new Map(experiments.map((experiment) => [experiment.test_id, experiment]));
  /** Exposures on this page, with the visitor's id, until they are stored. */
  let met: { who: string; test: number; arm: number }[] = [];
  /** The time at which the tools of an experiment were first looked for on this page, by `test_id`. */
  const since = new Map<string, number>();
  let timer = 0;

  /** The stored state, with the exposures on this page added. */
  function read(): StoredVisit {
    const {
      id: who,
      _session: { id },
    } = visitor();
    const stored = quietly(() => parse(readLocal("t_")!) as StoredVisit);
    // Any script of the page can write to the storage.
    const isOwn = stored?.id === id && Array.isArray(stored.told) && stored.owed;
    const visit: StoredVisit = isOwn ? stored : { id, told: [], owed: {} };
    // After a denial, the visitor has another id.
    for (const each of met) if (each.who === who) visit.owed[each.test] = each.arm;
    met = [];
    return visit;
  }

  function store({ id, told, owed }: StoredVisit): void {
    const some = Object.entries(owed).slice(-ARMS_MAX);
    storeLocal("t_", stringify({ id, told: told.slice(-TOOL_MARKS_MAX), owed: Object.fromEntries(some) }));
  }

  /**
   * The tools that are on the page and have to be notified of an arm. Those that do not appear in time are given up.
   */
  function find(visit: StoredVisit, test: string, arm: number): DueTool[] {
    const experiment = known.get(+test);
    const begun = since.get(test) ?? now();
    since.set(test, begun);
    const due: DueTool[] = [];
    let isWaiting = false;
    for (const { name, settings = {} } of experiment?.tools ?? []) {
      const mark = test + "." + name;
      if (visit.told.includes(mark)) continue;
      const values = {
        experiment_id: test,
        experiment_name: experiment!.name ?? "",
        variant_id: `${arm}`,
        variant_name: armName(arm),
      };
      const tell = quietly(() => TOOLS.get(name)?.({ _key: experiment!.experiment_key, _values: values }, settings));
      if (tell) {
        visit.told.push(mark);
        due.push([name, tell]);
      } else isWaiting = true;
    }
    if (!isWaiting || now() - begun >= TOOL_TIMEOUT_MS) {
      delete visit.owed[test];
      since.delete(test);
    }
    return due;
  }

  /** Notifies tools of an arm, and records which of them did not throw. */
  function tellAll(test: string, arm: number, due: DueTool[]): void {
    const told = due.filter(([, tell]) =>
      quietly(() => {
        // Tools may answer with a promise that is rejected.
        Promise.resolve(tell()).catch(() => {});
        return true;
      }),
    );
    if (told[0])
      record({
        type: "health",
        test_id: +test,
        variant_id: `${arm}`,
        integrations: told.map(([name]) => name).join(" "),
      });
  }

  function look(): void {
    clearTimer(timer);
    if (!mayTell()) return;
    const visit = read();
    const owed = Object.entries(visit.owed);
    if (!owed[0]) return;
    const due = owed.map(([test, arm]) => [test, arm, find(visit, test, arm)] as const);
    // Stored first: a tool that throws or leaves the page is not notified again.
    store(visit);
    for (const [test, arm, tools] of due) tellAll(test, arm, tools);
    if (Object.keys(visit.owed)[0]) timer = startTimer(look, TOOL_POLL_MS);
  }

  /** Looks for tools in a separate task, so that no tool delays showing an arm. */
  const plan = (): void => {
    clearTimer(timer);
    timer = startTimer(look, 0);
  };

  listen("exposure", (detail) => {
    const { test_id, variant } = detail as { test_id: number; variant: string };
    if (!known.get(test_id)?.tools) return;
    // `Variant N`; the control has no number.
    met.push({ who: visitor().id, test: test_id, arm: +variant.slice(8) });
    // The page may be left before that task.
    if (mayTell()) store(read());
    plan();
  });
  // Notifications that earlier pages of the visit could not make.
  plan();
  return plan;
}
