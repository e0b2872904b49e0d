// The arms that the visitor has on the page, one for each experiment.

import type { Change, Experiment } from "../ruleset";
import { type Armed, named } from "./armed";
import { quietly } from "./world";

/** An arm that the visitor has, met or not yet. */
export interface Active extends Armed {
  /** What of its changes is for the page. */
  _items: Change[];
  _wasLate: boolean;
  /** Takes it away; with `isRouting` once the view that follows is there. */
  stop(isRouting?: boolean): void;
}

const active = new Map<number, Active>();
/** Arms that were left last. They may be on the page still, until the next view is there. */
const left = new Map<number, Active>();

/**
 * Takes away the arm that the visitor had of an experiment, unless it is `next`. Gives what puts `next` in its place and
 * calls `show`, where that is not shown already.
 */
export function replaceArm(
  { test_id }: Experiment,
  next: Active | undefined,
  isRouting: boolean,
  show: (armed: Active) => Active["stop"],
): (() => void) | undefined {
  const before = active.get(test_id);
  // What is the same stays, but that what was too late on one page is in time on the next.
  if (
    before &&
    next &&
    before._arm === next._arm &&
    before._items.length === next._items.length &&
    next._items.every((item) => before._items.includes(item)) &&
    (next._wasLate || !before._wasLate)
  )
    return;
  before?.stop(isRouting && !next);
  active.delete(test_id);
  if (next) {
    return () => {
      // In its place before it begins: what it does may look again.
      active.set(test_id, next);
      // Where it is not gone yet from the page of before, it is not there twice.
      left.get(test_id)?.stop();
      next.stop = show(next);
    };
  }
  if (before) left.set(test_id, before);
}

/** Takes away the arms of all other experiments. */
export function retainArms(experiments: Experiment[]): void {
  for (const [test_id, { _experiment: experiment, stop }] of active) {
    if (experiments.includes(experiment)) continue;
    active.delete(test_id);
    quietly(stop);
  }
}

/** The name of the arm that the visitor has met on this page, by the experiment's key. */
export function variantOf(key: string): string | null {
  const armed = [...active.values()].find(
    ({ _experiment: experiment, _isMet: isMet }) => isMet && experiment.experiment_key === key,
  );
  return armed ? named(armed).variant : null;
}
