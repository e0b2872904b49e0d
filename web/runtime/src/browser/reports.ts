// Reports of how arms were shown, which can only be made after a while: what an arm changes may come later than the arm.

import { SETTLED_MS } from "./limits";
import { later, quietly, soon } from "./world";

type Report = () => void;

/** Those that are still to be made, of arms together that were shown together. */
const waiting = new Set<Report[]>();
let batch: Report[] | undefined;

const make = (some: Report[]): void => {
  if (waiting.delete(some)) for (const report of some) quietly(report);
};

/** Makes a report in `SETTLED_MS`, and when the page is left at the latest. */
export function settled(report: Report): void {
  if (!batch) {
    waiting.add((batch = []));
    later(make, SETTLED_MS, batch);
    soon(() => (batch = undefined));
  }
  batch.push(report);
}

/** Makes all of them now. */
export const reportAll = (): void => waiting.forEach(make);
