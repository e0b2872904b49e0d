// Delayed reports of how arms were shown: the elements that an arm changes may be added later than the arm.

import { REPORT_DELAY_MS } from "./limits";
import { startTimer, quietly, inMicrotask } from "./world";

type Report = () => void;

/** Pending reports, in batches of arms that were shown together, which share a timer. */
const waiting = new Set<Report[]>();
let batch: Report[] | undefined;

const makeReports = (some: Report[]): void => {
  if (waiting.delete(some)) for (const report of some) quietly(report);
};

/** Makes a report after `REPORT_DELAY_MS`, or when the page is left, whichever comes first. */
export function scheduleReport(report: Report): void {
  if (!batch) {
    waiting.add((batch = []));
    startTimer(makeReports, REPORT_DELAY_MS, batch);
    inMicrotask(() => (batch = undefined));
  }
  batch.push(report);
}

/** Makes all pending reports now. */
export const reportAll = (): void => waiting.forEach(makeReports);
