// Leaving a page of a single-page application. Its router names the next page first and shows it when that has been loaded: until
// then what is seen is the page of before, whose changes stay.
//
// On the way back and forward that is certain, as the browser itself names the page: then what is there is not changed by the next page's arms
// either. On other ways routers may well have shown the page first, and nothing tells.

import { all, doc, later, listen, quietly, win } from "../world";
import { HIDDEN_MAX_MS } from "../limits";

/** What of the page shows that the next view is there. */
export interface Held {
  /** What was changed. */
  elements: Set<Element>;
  /** Of these, those whose content was. */
  contents: Element[];
  /** Whether elements came or went a moment ago: then the next view is there already. */
  isRecent: boolean;
}

// What is made later: by then a page may have redefined it.
const NewSet = Set;
const Sheet = win.CSSStyleSheet;

/** Elements of a rule that are looked at, at most, for signs of the next view. */
export const ELEMENTS_MAX = 99;

const { navigation } = win as { navigation?: EventTarget & { transition?: { finished: Promise<void> } } };

/** Whether the browser has named another page on the way back or forward, in this turn. */
export let isTraversing = false;

// Before the script itself hears of it, so that it is known when arms begin.
listen(
  navigation ?? win,
  navigation ? "currententrychange" : "popstate",
  ({ navigationType = "traverse" }: { navigationType?: string }) => {
    if (navigationType !== "traverse") return;
    isTraversing = true;
    later(() => (isTraversing = false), 0);
  },
);

const waiting = new NewSet<(mutations: MutationRecord[]) => void>();

/** Tells of the page's mutations. */
export function notice(mutations: MutationRecord[]): void {
  for (const each of waiting) quietly(() => each(mutations));
}

export const isWaiting = (): boolean => waiting.size > 0;

/** The selectors of style rules, as one; nothing where there are none. */
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
 * Calls `end` when the next view is there: something of what was changed is gone, is changed by the page, or what stands beside it is taken out;
 * what styles are for comes anew; the page's navigation has finished; with `isAny`, an element is taken out anywhere. After a second it does in any case, and
 * at once where nothing is shown of it.
 */
export function untilNext(
  { elements, contents, isRecent }: Held,
  css: string[],
  end: () => void,
  isAny?: boolean,
): void {
  const styled = (css[0] && quietly(() => selectorsOf(css))) || "";
  for (const element of styled ? all(styled).slice(0, ELEMENTS_MAX) : []) {
    if (element !== doc.documentElement && element !== doc.body) elements.add(element);
  }
  const parents = new NewSet([...elements].map((element) => element.parentNode));
  const isGone = (): boolean => [...elements].some((element) => !element.isConnected);
  const isElement = (node: Node): node is Element => node.nodeType === 1;
  let isOver = false;
  const once = (): void => {
    if (isOver) return;
    isOver = true;
    waiting.delete(look);
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
  if (isRecent || !(elements.size || (styled && all(styled)[0])) || isGone()) return end();
  waiting.add(look);
  later(once, HIDDEN_MAX_MS);
  navigation?.transition?.finished.then(once, once);
}
