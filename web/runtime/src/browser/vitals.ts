// Measures how the page of an arm loads and responds: the largest contentful paint, layout shifts, and the slowest interactions.
// Measures that the browser does not have are left out.

import type { RecordEvent } from "./events";
import { LAYOUT_SESSION_MS, LAYOUT_GAP_MS, SLOWEST_MAX, VITAL_MS_MAX } from "./limits";
import { doc, floor, listen, quietly, win } from "./world";

const { min } = Math;

interface Entry extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
  interactionId?: number;
}

interface Measures {
  lcp_ms?: number | undefined;
  cls?: number | undefined;
  inp_ms?: number | undefined;
}

/** Rounds a measure and limits it to the server's maximum: a page may be painted even after it was open for an hour. */
const rounded = (measured: number): number => floor(min(measured, VITAL_MS_MAX) + 0.5);

/** The time at which a prerendered page was opened, in milliseconds of its own clock; 0 for other pages. */
const openedAt = (): number => {
  const [navigation] = performance.getEntriesByType("navigation") as { activationStart?: number }[];
  return navigation?.activationStart ?? 0;
};

/**
 * Returns whether the page was hidden at any time since it was opened. A prerendered page is hidden before that: it has
 * an entry with start time 0, like a page that was opened in the background.
 */
const wasHidden = (): boolean => {
  const opened = openedAt();
  return (
    doc.visibilityState === "hidden" ||
    performance
      .getEntriesByType("visibility-state")
      .some(({ name, startTime }) => name === "hidden" && startTime >= opened)
  );
};

/** Starts measuring, from the page's first moment on. Returns a function that ends it and returns the measures. */
function measure(): () => Measures {
  const { performance } = win as Window & { performance: Performance & { interactionCount?: number } };
  const opened = openedAt();
  const ends: (() => void)[] = [];
  let lcp: number | undefined;
  let cls: number | undefined;
  let session = 0;
  let began = 0;
  let last = 0;
  /** The longest interactions, by id. */
  const slowest = new Map<number, number>();

  const observe = (type: string, each: (entry: Entry) => void): boolean | undefined =>
    quietly(() => {
      // Older browsers would only warn of an unknown type.
      if (!PerformanceObserver.supportedEntryTypes.includes(type)) return;
      const take = (entries: PerformanceEntryList): void => {
        for (const entry of entries) each(entry as Entry);
      };
      const observer = new PerformanceObserver((list) => quietly(() => take(list.getEntries())));
      observer.observe({ type, buffered: true, durationThreshold: 16 } as PerformanceObserverInit);
      ends.push(() => {
        take(observer.takeRecords());
        observer.disconnect();
      });
      return true;
    });

  const interaction = ({ interactionId: id, duration }: Entry): void => {
    if (!id) return;
    slowest.set(id, Math.max(slowest.get(id) ?? 0, duration));
    if (slowest.size > SLOWEST_MAX) {
      const [[fastest]] = [...slowest].sort(([, a], [, b]) => a - b) as [[number, number]];
      slowest.delete(fastest);
    }
  };

  // Content that a prerendered page painted before it was opened is visible at once: its measure is 0.
  observe("largest-contentful-paint", ({ startTime }) => (lcp = Math.max(0, startTime - opened)));
  // Shifts within a second of each other, and within five of the first, are one session; the worst session counts.
  const hasShifts = observe("layout-shift", ({ value, startTime, hadRecentInput }) => {
    if (hadRecentInput) return;
    if (startTime - last > LAYOUT_GAP_MS || startTime - began > LAYOUT_SESSION_MS) {
      session = 0;
      began = startTime;
    }
    last = startTime;
    session += value;
    cls = Math.max(cls ?? 0, session);
  });
  observe("event", interaction);
  observe("first-input", interaction);

  return () => {
    for (const end of ends) quietly(end);
    if (hasShifts) cls ??= 0;
    // For every fifty interactions, the slowest one is left out.
    const durations = [...slowest.values()].sort((a, b) => b - a);
    const inp = durations[min(durations.length - 1, floor((performance.interactionCount ?? 0) / 50))];
    return {
      lcp_ms: lcp == null ? lcp : rounded(lcp),
      // Rounded to ten-thousandths. No page exceeds the bound.
      cls: cls == null ? cls : rounded(cls * 1e4) / 1e4,
      inp_ms: inp == null ? inp : rounded(inp),
    };
  };
}

/**
 * The arms to which the visitor was exposed on the page; undefined once they are reported, or if nothing is measured.
 */
let arms: Map<unknown, object> | undefined = new Map();

function meet(arm: { test_id: number }, record: RecordEvent): void {
  if (!arms?.size) {
    // A page that was opened in the background is painted only when its tab is shown.
    if (!arms || wasHidden()) return void (arms = undefined);
    const end = measure();
    // A capturing listener of the window runs before those of the document, so before the transport sends the queue.
    listen(win, "visibilitychange", () => {
      const met = arms;
      if (!met || doc.visibilityState !== "hidden") return;
      arms = undefined;
      const measures = end();
      // A page that was left before anything was painted, for example by a redirect, was not seen.
      if ((measures.lcp_ms ?? measures.inp_ms) != null)
        for (const each of met.values()) record({ type: "health", ...each, ...measures });
    });
  }
  arms.set(arm.test_id, arm);
}

/**
 * Reports the measures of the page once, when it is hidden, for an arm to which the visitor was exposed. A failure does
 * not affect the arm.
 */
export const vitals = (arm: { test_id: number }, record: RecordEvent): void => void quietly(() => meet(arm, record));
