// One observer for all changes: it finds elements that come later, and sees when the page takes a change away.
//
// A rule says what is wanted and where. What a rule does to an element is kept in slots, one for each property that is changed. A slot
// knows the page's own value and all edits that are wanted, and settles on the last: so experiments that meet on an element can be undone in
// any order. Observers are called as microtasks, thus before the browser paints.

import { all, doc, floor, listen, now, quietly } from "../world";
import { attached } from "./detour";
import type { Undo } from "./undo";

/** Does what a rule wants with an element; false if it cannot yet, so that it is asked again. */
export type Act = (element: Element) => unknown;

export interface Rule {
  selector: string;
  act: Act;
  /** Matches are looked for in the whole page whenever elements are added, not in these alone. */
  wide: boolean;
  /** Whether a change is made again when the page undoes it. */
  keep: boolean;
  /** Told when a change is given up, because the page does not leave it alone. */
  lost: () => void;
  done: WeakSet<Element>;
}

export interface Edit<T> {
  rule: Rule;
  value: T;
}

/** Makes the last of the edits true, or without one what the page wants; says whether anything had to be written. */
export type Settle<T> = (edit?: Edit<T>, edits?: Edit<T>[]) => unknown;

interface Slot {
  element: Element;
  key: unknown;
  edits: Edit<never>[];
  settle: Settle<never>;
  /** Nodes without which the change is pointless. */
  needs: Node[];
}

/** What was done to an element. */
interface Record {
  slots: InstanceType<typeof Slots>;
  /** How often changes were made again: ever, and in the second `at`. */
  times: number;
  at: number;
  burst: number;
}

const rules = new Set<Rule>();
const slots = new Set<Slot>();
const records = new WeakMap<Element, Record>();

let parsing = doc.readyState === "loading";
listen(doc, "readystatechange", async () => {
  // What the parser did last is seen by observers before this goes on.
  await null;
  parsing = false;
});

/** Whether the parser is still at work, or has done what is looked at. */
export const loading = (): boolean => parsing;

// What is made later: by then a page may have redefined it.
const Slots = Map<unknown, Slot>;
const touched = new Set<Node | null>();
const added = new Set<Node>();

const observer = new MutationObserver((mutations) => {
  // When a large part of the page is parsed all is looked through: that is done sooner than to ask each of its nodes what it is.
  const many = loading() && mutations.length > 99;
  for (const { target, addedNodes } of many ? [] : mutations) {
    touched.add(target.nodeType === 3 ? target.parentNode : target);
    addedNodes.forEach((node) => added.add(node));
  }
  slots.forEach((slot) => quietly(() => check(slot, many || touched)));
  const fresh = [...added].filter(
    (node): node is Element => node.nodeType === 1 && node.isConnected && !added.has(node.parentNode as Node),
  );
  const whole = many || fresh[30];
  const wanted = whole ? [] : fresh.filter(isWanted);
  if (whole || fresh[0]) {
    rules.forEach((rule) =>
      // Code may wait for what is not a selector.
      quietly(() =>
        offer(
          rule,
          whole || rule.wide
            ? all(rule.selector)
            : wanted.flatMap((node) => [node, ...all(rule.selector, node)].filter((found) => found.matches(rule.selector))),
        ),
      ),
    );
  }
  // Nodes that the page has let go are not kept.
  touched.clear();
  added.clear();
});

/** What all rules look for that look for it in new elements alone. */
let anything: string | undefined;

/** Whether there is something in an element that any of these rules means: mostly there is not, and one question is enough. */
function isWanted(node: Element): unknown {
  anything ??= [...rules].flatMap(({ wide, selector }) => (wide ? [] : selector)).join();
  try {
    return node.matches(anything) || node.querySelector(anything);
  } catch {
    // One of them is no selector.
    return true;
  }
}

/** Watches a node for mutations of the given kinds, as long as there are rules. */
export const observe = (node: Node, what: MutationObserverInit): void => observer.observe(node, what);

const below = { childList: true, subtree: true };

function offer(rule: Rule, elements: Element[]): void {
  // Late elements of open shadow roots are seen only from within.
  const hosts = rule.selector.lastIndexOf(">>>");
  if (hosts > 0) {
    all(rule.selector.slice(0, hosts)).forEach((host) => host.shadowRoot && observe(host.shadowRoot, below));
  }
  elements.forEach((element) => rule.done.has(element) || (rule.act(element) && rule.done.add(element)));
}

/** Looks after a slot when `touched` nodes have changed; `true` are any. */
function check(slot: Slot, touched: Set<Node | null> | true): void {
  const { element, edits, needs } = slot;
  if (!needs.every(attached)) {
    // An element that is gone is left as the page made it, and is a new one should it come back.
    edits.forEach(({ rule }) => rule.done.delete(element));
    close(slot);
  } else if (touched === true || touched.has(element) || touched.has(element.parentNode)) {
    const last = edits[edits.length - 1] as Edit<never>;
    const record = records.get(element) as Record;
    if ((last.rule.keep || loading()) && slot.settle(last, edits)) {
      // While the parser is at work, each part of the page may undo what the last one was given. That is no fight, but has its end too.
      const second = loading() ? 0 : floor(now() / 1000);
      record.burst = record.at === second ? record.burst + 1 : 1;
      record.at = second;
      if ((second && ++record.times > 50) || record.burst > (second ? 10 : 999)) {
        record.slots.forEach((other) => {
          other.edits.forEach(({ rule }) => rule.lost());
          close(other);
        });
      }
    }
  }
}

function close(slot: Slot): void {
  slots.delete(slot);
  records.get(slot.element)?.slots.delete(slot.key);
  slot.settle();
}

/** Wants `value` for what `key` names of the element; `make` gives how the slot is settled when it is the first to want something. */
export function edit<T>(rule: Rule, element: Element, key: unknown, value: T, make: (needs: Node[]) => Settle<T>): void {
  let record = records.get(element);
  if (!record) records.set(element, (record = { slots: new Slots(), times: 0, at: 0, burst: 0 }));
  let slot = record.slots.get(key);
  if (!slot) {
    // Once for an element, as long as there is a change of it.
    if (!record.slots.size) observe(element, { attributes: true });
    const needs: Node[] = [element];
    slots.add((slot = { element, key, edits: [], settle: make(needs), needs }));
    record.slots.set(key, slot);
  }
  const wanted = { rule, value } as Edit<never>;
  slot.edits.push(wanted);
  slot.settle(wanted, slot.edits);
}

/** Lets a rule act on its matches, now and as they come, until it is undone. */
export function follow(rule: Rule): Undo {
  observe(doc, below);
  rules.add(rule);
  anything = undefined;
  offer(rule, all(rule.selector));
  return () => {
    rules.delete(rule);
    anything = undefined;
    slots.forEach((slot) => {
      const left = slot.edits.filter((other) => other.rule !== rule);
      if (left.length < slot.edits.length) {
        slot.edits = left;
        quietly(() => (left[0] ? slot.settle(left[left.length - 1], left) : close(slot)));
      }
    });
    if (!rules.size) observer.disconnect();
  };
}
