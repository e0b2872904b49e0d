// Leaving a page of a single-page application. A router changes the address first and shows the next view when that has
// loaded. Until then, the previous view is visible, and its changes stay.
//
// On back and forward navigation this order is certain, as the browser itself changes the address: the next page's arms
// then wait for the next view. On other navigations the router may have shown the view first, which cannot be detected.

import { queryAll, doc, startTimer, listen, quietly, win } from "../world";
import { HIDING_TIMEOUT_MS } from "../limits";

/** The elements that show whether the next view is there. */
export interface ViewMarkers {
  /** Elements that were changed. */
  _elements: Set<Element>;
  /** Elements whose content was changed; they are also in `_elements`. */
  _contents: Element[];
  /** True when elements were added or removed in the last frames: the next view is then there already. */
  _isRecent: boolean;
}

// Taken now, as a page may redefine them before they are used.
const NewSet = Set;
const Sheet = win.CSSStyleSheet;

/** Maximum number of a rule's elements that are watched for signs of the next view. */
export const MARKERS_MAX = 99;

const { navigation } = win as { navigation?: EventTarget & { transition?: { finished: Promise<void> } } };

/** True when the current task is a back or forward navigation. */
export let isTraversing = false;

// Registered before the listener of route.ts, so that it is known when arms are shown.
listen(
  navigation ?? win,
  navigation ? "currententrychange" : "popstate",
  ({ navigationType = "traverse" }: { navigationType?: string }) => {
    if (navigationType !== "traverse") return;
    isTraversing = true;
    startTimer(() => (isTraversing = false), 0);
  },
);

const viewWaits = new NewSet<(mutations: MutationRecord[]) => void>();

/** Passes the page's mutations to the functions that wait for a view. */
export function notifyViewWaits(mutations: MutationRecord[]): void {
  for (const each of viewWaits) quietly(() => each(mutations));
}

export const isAwaitingView = (): boolean => viewWaits.size > 0;

/** The selectors of style sheets as one list; empty without any. */
export function selectorsOf(css: string[]): string {
  const read = (rules: CSSRuleList): string[] =>
    [...rules].flatMap((rule) => {
      const { selectorText, cssRules } = rule as CSSStyleRule;
      return selectorText ?? (cssRules ? read(cssRules) : []);
    });
  const texts = css.map((text) => {
    const sheet = new Sheet();
    sheet.replaceSync(text);
    return read(sheet.cssRules);
  });
  return texts
    .flat()
    .join()
    .replace(/::[\w-]+/g, "");
}

/**
 * Calls `end` when the next view is there: the page removes or changes a changed element, removes a sibling of it, adds
 * an element that the styles match, or finishes its navigation. With `isAny`, the removal of any element counts, too.
 * Calls it after a second in any case, and at once if nothing of the previous view is visible.
 */
export function whenNextView(
  { _elements: elements, _contents: contents, _isRecent: isRecent }: ViewMarkers,
  css: string[],
  end: () => void,
  isAny?: boolean,
): void {
  const styled = (css[0] && quietly(() => selectorsOf(css))) || "";
  for (const element of styled ? queryAll(styled).slice(0, MARKERS_MAX) : []) {
    if (element !== doc.documentElement && element !== doc.body) elements.add(element);
  }
  const parents = new NewSet([...elements].map((element) => element.parentNode));
  const isGone = (): boolean => [...elements].some((element) => !element.isConnected);
  const isElement = (node: Node): node is Element => node.nodeType === 1;
  let isOver = false;
  const once = (): void => {
    if (isOver) return;
    isOver = true;
    viewWaits.delete(look);
    end();
  };
  const look = (mutations: MutationRecord[]): void => {
    const isTouched = ({ type, target, addedNodes, removedNodes }: MutationRecord): unknown =>
      type !== "attributes" &&
      (elements.has(target as Element) ||
        elements.has(target.parentNode as Element) ||
        ((parents.has(target as Element) || (isAny && doc.body.contains(target))) &&
          [...removedNodes].some(isElement)) ||
        contents.some((element) => element.contains(target)) ||
        (styled &&
          [...addedNodes].some((node) => isElement(node) && (node.matches(styled) || node.querySelector(styled)))));
    if (isGone() || mutations.some(isTouched)) once();
  };
  if (isRecent || !(elements.size || (styled && queryAll(styled)[0])) || isGone()) return end();
  viewWaits.add(look);
  startTimer(once, HIDING_TIMEOUT_MS);
  navigation?.transition?.finished.then(once, once);
}
