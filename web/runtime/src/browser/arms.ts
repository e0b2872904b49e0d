// The arms that are active on the page, one for each experiment.

import type { Change, Experiment } from "../ruleset";
import { type AssignedArm, armDetail } from "./armed";
import { quietly } from "./world";

/** An arm that is active on the page, whether or not the visitor was exposed to it yet. */
export interface ActiveArm extends AssignedArm {
  /** Changes of the arm that apply to the page. */
  _items: Change[];
  _wasLate: boolean;
  /** Removes the arm; with `isRouting` when the next view is there. */
  _stop(isRouting?: boolean): void;
}

const activeArms = new Map<number, ActiveArm>();
/** The arms that were removed last. They may remain on the page until the next view is there. */
const leftArms = new Map<number, ActiveArm>();

/**
 * Removes the active arm of an experiment, unless it equals `next`. Returns a function that activates `next` by `show`, or
 * undefined if it is active already.
 */
export function replaceArm(
  { test_id }: Experiment,
  next: ActiveArm | undefined,
  isRouting: boolean,
  show: (armed: ActiveArm) => ActiveArm["_stop"],
): (() => void) | undefined {
  const before = activeArms.get(test_id);
  // An equal arm stays, unless it was too late on the page before and is in time on this one.
  if (
    before &&
    next &&
    before._arm === next._arm &&
    before._items.length === next._items.length &&
    next._items.every((item) => before._items.includes(item)) &&
    (next._wasLate || !before._wasLate)
  )
    return;
  before?._stop(isRouting && !next);
  activeArms.delete(test_id);
  if (next) {
    return () => {
      // Registered before it is shown, as showing it may trigger another decision.
      activeArms.set(test_id, next);
      // If the arm of the page before is still shown, remove it now, so that it is not shown twice.
      leftArms.get(test_id)?._stop();
      next._stop = show(next);
    };
  }
  if (before) leftArms.set(test_id, before);
}

/** Removes the arms of all other experiments. */
export function retainArms(experiments: Experiment[]): void {
  for (const [test_id, { _experiment: experiment, _stop: stop }] of activeArms) {
    if (experiments.includes(experiment)) continue;
    activeArms.delete(test_id);
    quietly(stop);
  }
}

/** The name of the arm that the visitor was exposed to on this page, by the experiment's key. */
export function variantOf(key: string): string | null {
  const armed = [...activeArms.values()].find(
    ({ _experiment: experiment, _isMet: isMet }) => isMet && experiment.experiment_key === key,
  );
  return armed ? armDetail(armed).variant : null;
}
