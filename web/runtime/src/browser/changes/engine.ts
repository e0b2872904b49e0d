// One observer for all changes: it finds elements that come later or come to match, and sees when the page takes a change away or
// makes an element another one, which no longer matches.
//
// A rule says what is wanted and where. What a rule does to an element is kept in slots, one for each property that is changed. A slot
// knows the page's own value and all edits that are wanted, and settles on the last: so experiments that meet on an element can be undone in
// any order. Observers are called as microtasks, thus before the browser paints.

import { all, doc, floor, listen, now, quietly, win } from "../world";
import { attached } from "./detour";
import { ELEMENTS_MAX, type Held, isTraversing, isWaiting, notice, untilNext } from "./leave";
import { attributeOf, dependence, type Dependence, fits, namesOf } from "./match";
import { reach, release } from "./roots";
import { styleSlot } from "./style";
import { words } from "./value";
import type { Undo } from "./undo";

/** Does what a rule wants with an element; false if it cannot yet, so that it is asked again. */
export type Act = (element: Element) => unknown;

export interface Rule {
  _selector: string;
  act: Act;
  /** Matches are looked for in the whole page whenever elements are added, not in these alone. */
  wide: boolean;
  /** Whether a change is made again when the page undoes it. */
  keep: boolean;
  /** Told when a change is given up, because the page does not leave it alone. */
  lost: () => void;
  _done: WeakSet<Element>;
}

export interface Edit<T> {
  rule: Rule;
  value: T;
  /** The match for which it is wanted. */
  match: Element;
  /** Whether that matches, as far as it is for the page to say: an edit may be what ends a match. */
  fits: boolean;
}

/** Makes the last of the edits true, or without one what the page wants; says whether anything had to be written. */
export type Settle<T> = (edit?: Edit<T>, edits?: Edit<T>[]) => unknown;

interface Slot {
  _element: Element;
  key: unknown;
  _edits: Edit<never>[];
  _settle: Settle<never>;
  /** Nodes without which the change is pointless. */
  needs: Node[];
}

/** What was done to an element. */
interface Record {
  _slots: InstanceType<typeof Slots>;
  /** How often changes were made again: ever, and in the second `at`. */
  times: number;
  at: number;
  _burst: number;
}

const rules = new Map<Rule, Dependence>();
const slots = new Set<Slot>();
const records = new WeakMap<Element, Record>();

/** Rules by the names that they depend on, and those for which siblings count. */
const named = new Map<string, Set<Rule>>();
const ordered = new Set<Rule>();

let parsing = doc.readyState === "loading";
listen(doc, "readystatechange", async () => {
  // What the parser did last is seen by observers before this goes on.
  await null;
  parsing = false;
  // The parser attaches roots, too.
  offerInRoots();
});

/** Whether the parser is still at work, or has done what is looked at. */
export const loading = (): boolean => parsing;

// What is made later: by then a page may have redefined it.
const Slots = Map<unknown, Slot>;
const NewMap = Map;
const NewSet = Set;
const touched = new Set<Node | null>();
const added = new Set<Node>();

/** Mutations that are not looked at yet: the page's, and those that we made. */
let theirs: MutationRecord[] = [];
let ours: MutationRecord[] = [];
let isWriting = false;
let isPlanned = false;

const observer = new MutationObserver((mutations) => {
  theirs = theirs.concat(mutations);
  look();
});

/** Takes what has happened so far as the page's, or as ours: whether it ends matches is looked at before the page goes on. */
function take(isOurs: boolean): void {
  const taken = observer.takeRecords();
  if (!isOurs) theirs = theirs.concat(taken);
  else if (taken[0]) {
    ours = ours.concat(taken);
    retest(taken, scopesOf(taken), true);
  }
}

/** Does what is ours, or with `false` what is the page's in the middle of that: so the mutations of both are told apart. */
export function asOurs<T>(work: () => T, isOurs = true): T {
  const before = isWriting;
  if (before === isOurs) return work();
  take(before);
  isWriting = isOurs;
  try {
    return work();
  } finally {
    take(isOurs);
    isWriting = before;
    if (!isPlanned && (theirs[0] || ours[0])) void plan();
  }
}

/** What was taken from the observer is looked at when that would be called. */
async function plan(): Promise<void> {
  isPlanned = true;
  await null;
  isPlanned = false;
  look();
}

function look(): void {
  const [page, own] = [theirs, ours];
  theirs = [];
  ours = [];
  if (page[0] || own[0]) {
    if (isWaiting()) asOurs(() => notice(page));
    if (rules.size) asOurs(() => lookAt(page, own));
  }
}

function lookAt(page: MutationRecord[], own: MutationRecord[]): void {
  // When a large part of the page is parsed all is looked through: that is done sooner than to ask each of its nodes what it is.
  const many = loading() && page.length + own.length > 99;
  for (const { target, addedNodes } of many ? [] : page.concat(own)) {
    touched.add(target.nodeType === 3 ? target.parentNode : target);
    addedNodes.forEach((node) => added.add(node));
  }
  const scopes = scopesOf(page);
  retest(page, scopes, false);
  slots.forEach((slot) => quietly(() => check(slot, many || touched)));
  const fresh = [...added].filter(
    (node): node is Element => node.nodeType === 1 && node.isConnected && !added.has(node.parentNode as Node),
  );
  const whole = many || fresh[30];
  const wanted = whole ? [] : fresh.filter(isWanted);
  rules.forEach((_, rule) =>
    // Code may wait for what is not a selector.
    quietly(() => {
      const scope = scopes.get(rule);
      if (!whole && !fresh[0] && !scope) return;
      const isAll = whole || rule.wide || scope?.has(doc);
      const among = [...wanted, ...((scope ?? []) as Iterable<Element>)];
      offer(
        rule,
        isAll
          ? all(rule._selector)
          : among.flatMap((node) =>
              [node, ...all(rule._selector, node)].filter((found) => fits(found, rule._selector)),
            ),
      );
    }),
  );
  // Nodes that the page has let go are not kept.
  touched.clear();
  added.clear();
  release();
}

/** Where matches of which rules may be others than before. */
type Scopes = Map<Rule, Set<Node>>;

/** The scopes of mutations: an attribute concerns what is below its element, and order what is beside it, too. */
function scopesOf(mutations: MutationRecord[]): Scopes {
  const scopes: Scopes = new NewMap();
  // Nodes stand there that we put there: what counts them must not be misled.
  const shifted = ordered.size
    ? [...slots].filter(({ _edits: edits }) => (lastOf({ _edits: edits } as Slot).value as { near?: Node }).near)
    : [];
  const isShifted = (rule: Rule, place: Node): boolean =>
    shifted.some(({ _element: element }) =>
      (rules.get(rule)!.whole ? doc : (place.parentNode ?? place)).contains(element),
    );
  const add = (rule: Rule, node: Node): void => {
    const { ordered, whole } = rules.get(rule) as Dependence;
    let nodes = scopes.get(rule);
    if (!nodes) scopes.set(rule, (nodes = new NewSet()));
    // A few places are looked through one by one, more of them at once.
    if (!nodes.has(doc)) nodes.add(whole || nodes.size > 8 ? doc : (ordered && node.parentNode) || node);
  };
  for (const mutation of mutations) {
    const { type, target } = mutation;
    if (type === "attributes") {
      const classes =
        mutation.attributeName === "class"
          ? (records.get(target as Element)?._slots.get("class")?._edits as Edit<string>[] | undefined)
          : undefined;
      // Of those that we set, the page's own may have changed without a sign.
      const hidden = (classes ?? []).flatMap(({ value }) => words(value).map((name) => name.replace(/^-?/, ".")));
      for (const name of [...namesOf(mutation), ...hidden]) named.get(name)?.forEach((rule) => add(rule, target));
    } else if (type === "childList") {
      // The parser puts nothing before what is there.
      ordered.forEach((rule) => (!loading() || rules.get(rule)!.last) && !isShifted(rule, target) && add(rule, target));
    }
  }
  return scopes;
}

/** Asks again whether matches are any still, and takes back what is wanted of those that are not. After our own mutations that is noted alone. */
function retest(mutations: MutationRecord[], scopes: Scopes, isOurs: boolean): void {
  const moved: Node[] = [];
  for (const { removedNodes } of mutations)
    removedNodes.forEach((node) => node.isConnected && node.nodeType === 1 && moved.push(node));
  // Content that is put back when a change of it goes may have changes in it.
  for (let isDropped = !!(scopes.size || moved[0]); isDropped; ) {
    isDropped = false;
    slots.forEach((slot) =>
      quietly(() => {
        const isMoved = moved[30] || moved.some((node) => node.contains(slot._element));
        for (const wanted of [...slot._edits] as Edit<unknown>[]) {
          const { rule, match } = wanted;
          const scope = scopes.get(rule);
          if (
            !match.isConnected ||
            !(isMoved || (scope && (rule.wide || [...scope].some((node) => node.contains(match)))))
          )
            continue;
          const is = isMatch(wanted);
          if (is || isOurs) wanted.fits = is;
          else if (wanted.fits) isDropped = drop(slot, wanted);
        }
      }),
    );
  }
}

/** Whether it matches, or would without what we did to attributes that the selector names. */
function isMatch({ rule, match }: Edit<unknown>): boolean {
  if (fits(match, rule._selector)) return true;
  const { names } = rules.get(rule) as Dependence;
  const off: Slot[] = [];
  const attributes = [...names].map(attributeOf);
  for (let node: Node | null = match; node; node = node.parentNode ?? (node as ShadowRoot).host) {
    records.get(node as Element)?._slots.forEach((slot, key) => {
      if (attributes.includes(key === styleSlot ? "style" : (key as string)) && lastOf(slot).rule.keep) off.push(slot);
    });
  }
  if (!off[0]) return false;
  take(true);
  for (const slot of off) slot._settle();
  const answer = fits(match, rule._selector);
  for (const slot of off) slot._settle(lastOf(slot), slot._edits);
  // All is as it was: nobody needs to look again.
  observer.takeRecords();
  return answer;
}

const lastOf = ({ _edits: edits }: Slot): Edit<never> => edits[edits.length - 1] as Edit<never>;

/** How often matches of an element came and went in a second. */
const turns = new WeakMap<Element, [second: number, times: number]>();

/** Takes back what is wanted of an element that is no match any more; should it be one again, that is another one. */
function drop(slot: Slot, wanted: Edit<unknown>): true {
  const { rule, match } = wanted;
  const second = floor(now() / 1000);
  const [at, times] = turns.get(match) ?? [];
  const count = at === second ? times! + 1 : 1;
  turns.set(match, [second, count]);
  // A page that answers each change by its contrary would go on for ever.
  if (count > 99) rule.lost();
  else rule._done.delete(match);
  without(slot, (other) => other === wanted);
  return true;
}

/** Settles a slot without some of its edits. */
function without(slot: Slot, isOut: (edit: Edit<never>) => boolean): void {
  const left = slot._edits.filter((other) => !isOut(other));
  if (left.length === slot._edits.length) return;
  slot._edits = left;
  if (left[0]) slot._settle(lastOf(slot), left);
  else close(slot);
}

/** What all rules look for that look for it in new elements alone. */
let anything: string | undefined;

/** Whether there is something in an element that any of these rules means: mostly there is not, and one question is enough. */
function isWanted(node: Element): unknown {
  anything ??= [...rules.keys()].flatMap(({ wide, _selector: selector }) => (wide ? [] : selector)).join();
  try {
    return node.matches(anything) || node.querySelector(anything);
  } catch {
    // One of them is no selector.
    return true;
  }
}

/** Watches a node for mutations of the given kinds, as long as there are rules. */
export const observe = (node: Node, what: MutationObserverInit): void => observer.observe(node, what);

/** What is looked for in elements in which another view may be shown. */
const inside: MutationObserverInit = { childList: true, characterData: true, subtree: true };

const below: MutationObserverInit = { childList: true, subtree: true };

/** The match that a rule is about to act on. */
let matched: Element | undefined;

/** Rules that act on nothing more. */
const leaving = new WeakSet<Rule>();

/** After which frame elements of a rule came or went, but for those that the parser brings. Frames are counted as long as that is a moment ago. */
const changes = new WeakMap<Rule, number>();
const frame = win.requestAnimationFrame.bind(win);
/** Routers that show a page before they name it do so in the same frame, or in the next one. */
const RECENT_FRAMES = 2;
let frames = 0;
let counted = 0;

const count = (): void => void (++frames < counted && frame(count));

function change(rule: Rule): void {
  changes.set(rule, frames);
  if (frames >= counted) frame(count);
  counted = frames + RECENT_FRAMES;
}

/** Lets rules act on nothing more, and gives what they hold. */
export function held(rules: Rule[], isContent: (key: unknown) => boolean): Held {
  const elements = new NewSet<Element>();
  const contents: Element[] = [];
  for (const { _element: element, key, _edits: edits } of slots) {
    if (!edits.some(({ rule }) => rules.includes(rule))) continue;
    elements.add(element);
    if (isContent(key)) contents.push(element);
  }
  for (const rule of rules) leaving.add(rule);
  observe(doc, below);
  return { elements, contents, isRecent: rules.some((rule) => changes.get(rule)! + RECENT_FRAMES > frames) };
}

/** By whose acts nodes are there: the rule that made them, and those that made what it was made for. */
const makers = new WeakMap<Node, Rule[]>();

function makersOf(node: Node | null): Rule[] {
  for (; node; node = node.parentNode) if (makers.has(node)) return makers.get(node)!;
  return [];
}

/** Notes that a rule has made nodes for an element: it does not act on them in turn, or there would be no end. */
export function made<T extends Node>(rule: Rule, element: Element, nodes: T[]): T[] {
  for (const node of nodes) makers.set(node, [...makersOf(element), rule]);
  return nodes;
}

/** Lets a rule act on elements that it has not acted on. */
function offer(rule: Rule, elements: Element[], isLater = true): void {
  reach(rule._selector, (root) => observe(root, below), offerInRoots);
  for (const element of elements) {
    matched = element;
    if (leaving.has(rule) || rule._done.has(element) || makersOf(element).includes(rule) || !rule.act(element))
      continue;
    rule._done.add(element);
    if (isLater && !loading()) change(rule);
  }
  matched = undefined;
}

/** Lets a rule act on a match that it could not change before, if it is a match still. */
export const offerAgain = (rule: Rule, element: Element): void =>
  asOurs(() => {
    if (rules.has(rule) && fits(element, rule._selector)) offer(rule, [element], false);
  });

/** Looks for matches in shadow roots that may have come without a mutation. */
function offerInRoots(): void {
  asOurs(() =>
    rules.forEach((_, rule) => quietly(() => rule._selector.includes(">>>") && offer(rule, all(rule._selector)))),
  );
}

/** Looks after a slot when `touched` nodes have changed; `true` are any. */
function check(slot: Slot, touched: Set<Node | null> | true): void {
  const { _element: element, _edits: edits, needs } = slot;
  if (!needs.every(attached)) {
    // An element that is gone is left as the page made it, and is a new one should it come back.
    edits.forEach(({ rule }) => {
      rule._done.delete(element);
      change(rule);
    });
    close(slot);
  } else if (touched === true || touched.has(element) || touched.has(element.parentNode)) {
    const last = lastOf(slot);
    const record = records.get(element) as Record;
    if ((last.rule.keep || loading()) && slot._settle(last, edits)) {
      // While the parser is at work, each part of the page may undo what the last one was given. That is no fight, but has its end too.
      const second = loading() ? 0 : floor(now() / 1000);
      record._burst = record.at === second ? record._burst + 1 : 1;
      record.at = second;
      if ((second && ++record.times > 50) || record._burst > (second ? 10 : 999)) {
        record._slots.forEach((other) => {
          other._edits.forEach(({ rule }) => rule.lost());
          close(other);
        });
      }
    }
  }
}

function close(slot: Slot): void {
  slots.delete(slot);
  records.get(slot._element)?._slots.delete(slot.key);
  slot._settle();
}

/** Wants `value` for what `key` names of the element; `make` gives how the slot is settled when it is the first to want something. */
export function edit<T>(
  rule: Rule,
  element: Element,
  key: unknown,
  value: T,
  make: (needs: Node[]) => Settle<T>,
): void {
  let record = records.get(element);
  if (!record) records.set(element, (record = { _slots: new Slots(), times: 0, at: 0, _burst: 0 }));
  let slot = record._slots.get(key);
  if (!slot) {
    // Once for an element, as long as there is a change of it.
    if (!record._slots.size) observe(element, { attributes: true });
    const needs: Node[] = [element];
    slots.add((slot = { _element: element, key, _edits: [], _settle: make(needs), needs }));
    record._slots.set(key, slot);
  }
  const wanted = { rule, value, match: matched, fits: true } as unknown as Edit<never>;
  slot._edits.push(wanted);
  slot._settle(wanted, slot._edits);
}

/** Observes nothing once nothing is left to do. */
export function rest(): void {
  if (!rules.size && !isWaiting()) {
    observer.disconnect();
    release(true);
  }
}

/** Calls `begin`: at once, but on the way back and forward when the view is there that the styles of `css` are for. */
export function whenShown(css: string, begin: () => void): void {
  if (!isTraversing) return begin();
  observe(doc, below);
  untilNext(
    { elements: new NewSet(), contents: [], isRecent: false },
    [css],
    () => {
      begin();
      rest();
    },
    true,
  );
}

/** Keeps a rule from what is there until the next view is, and then calls `end`. */
function spare(rule: Rule, end: () => void): void {
  const there = all(rule._selector);
  const contents = there.slice(0, ELEMENTS_MAX);
  for (const element of there) rule._done.add(element);
  for (const element of contents) observe(element, inside);
  untilNext(
    { elements: new NewSet(contents), contents, isRecent: false },
    [],
    () => {
      for (const element of there) rule._done.delete(element);
      end();
    },
    true,
  );
}

/** Lets a rule act on its matches, now and as they come, until it is undone. */
export function follow(rule: Rule): Undo {
  const of = dependence(rule._selector);
  rules.set(rule, of);
  anything = undefined;
  if (of.ordered) ordered.add(rule);
  const names = [...of.names];
  for (const name of names) named.set(name, (named.get(name) ?? new NewSet()).add(rule));
  if (names[0]) {
    below.attributeFilter = [...new NewSet([...(below.attributeFilter ?? []), ...names.map(attributeOf)])];
    below.attributeOldValue = true;
  }
  observe(doc, below);
  const begin = (): void => {
    if (rules.has(rule)) asOurs(() => offer(rule, all(rule._selector), false));
  };
  if (isTraversing) spare(rule, begin);
  else begin();
  return () =>
    asOurs(() => {
      rules.delete(rule);
      anything = undefined;
      ordered.delete(rule);
      named.forEach((others) => others.delete(rule));
      slots.forEach((slot) => quietly(() => without(slot, (other) => other.rule === rule)));
      rest();
    });
}
