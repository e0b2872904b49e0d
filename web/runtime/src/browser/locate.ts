// The visitor's location. Only the server knows it, and only pages with location rules ask for it, so this is in the part `rules`.

import type { Reason } from "../assign/decide";
import type { Experiment } from "../ruleset";
import { hide, type HiddenElements } from "./hide";
import type { GeoLocation } from "./identity";
import { HIDING_TIMEOUT_MS } from "./limits";
import { now, stringify, win } from "./world";

// Taken when the part is created, which is before the page's own scripts can redefine it.
const fetchNow = win.fetch.bind(win);

/** The selectors that an experiment changes. Their elements are hidden while the arm is not decided. */
const selectorsOf = ({ variants }: Experiment): string[] =>
  variants.flatMap(({ data }) => (data ?? []).flatMap((item) => item.target ?? item.rm ?? item.oriEl ?? []));

export interface Locator {
  /** Returns whether the decision could differ if the visitor's location were known. */
  _decides(experiment: Experiment, reason: Reason): boolean;
  /**
   * Requests the location once per page. Meanwhile hides the elements that the experiments may change, unless the
   * visitor has seen them (`late`).
   */
  _request(unknown: Experiment[], late: boolean): void;
  /** Allows another request, on a new page. */
  _allow(): void;
}

/**
 * `snippet` has the elements that the inline snippet has hidden. `located` gets the location, and whether the answer is
 * so late that changes would be visible. `hides` gets the elements that are hidden meanwhile.
 */
export function locator(
  address: string,
  snippet: HiddenElements | undefined,
  located: (geo: GeoLocation, late: boolean) => void,
  hides: (hidden: HiddenElements) => void,
): Locator {
  let isRequested = false;
  let hidden: HiddenElements | undefined;

  /** Fetches the location. If that fails, the location stays unknown, and location rules do not hold. */
  async function fetchLocation(): Promise<void> {
    try {
      const answer = await fetchNow(address);
      const geo = (await answer.json()) as GeoLocation;
      if (answer.ok) located(geo, !hidden || !!hidden.over);
    } catch {
      // The location stays unknown.
    }
    hidden?.show();
  }

  return {
    _decides: (experiment, reason) =>
      (reason === "unknown" ||
        (experiment.test_type === "personalization" && ["audience", "split", "sticky"].includes(reason))) &&
      // The experiment or one of its variants has a location rule. Quotes within JSON strings are escaped, so only keys match.
      /"allowed_\w+":\[{/.test(stringify(experiment)),
    _request(unknown, late) {
      if (isRequested || !unknown[0]) return;
      isRequested = true;
      if (!hidden && !late) {
        // Hidden once per page, for one second at most in total with the snippet.
        hidden = hide(unknown.flatMap(selectorsOf), HIDING_TIMEOUT_MS - (snippet ? now() - snippet.since! : 0));
        hides(hidden);
      }
      void fetchLocation();
    },
    _allow() {
      isRequested = false;
    },
  };
}
