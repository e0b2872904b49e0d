// One mutation observer for all changes: it finds elements that are added or start to match, and detects when the page reverts a change
// or when an element no longer matches.
//
// A rule is a selector with an action. The edits of an element are kept in slots, one for each changed property. A slot
// has the page's own value and all edits, and settles on the last edit, so that experiments that change the same
// element can be undone in any order. Observers are called in microtasks, before the browser paints.

import { queryAll, doc, floor, listen, now, quietly, win } from "../world";
import { isAttached, noteMoves } from "./detour";
import { MARKERS_MAX, type ViewMarkers, isTraversing, isAwaitingView, notifyViewWaits, whenNextView } from "./leave";
import { attributeOf, dependence, type Dependence, matchesSelector, changedNames } from "./match";
import { watchRoots, releaseHosts } from "./roots";
import { styleSlot } from "./style";
import { words } from "./value";
import type { Undo } from "./undo";

/** Applies a rule to an element. Returns false if that is not possible yet, so that it is tried again. */
export type ApplyRule = (element: Element) => unknown;

export interface Rule {
  _selector: string;
  _act: ApplyRule;
  /** True when matches are searched in the whole page after elements are added, not only in those elements. */
  _isWide: boolean;
  /** True when a change is made again after the page reverts it. */
  _keep: boolean;
  /** Called when a change is given up, because the page keeps reverting it. */
  _lost: () => void;
  _done: WeakSet<Element>;
}

export interface Edit<T> {
  _rule: Rule;
  _value: T;
  /** The match of the selector that led to the edit. */
  _match: Element;
  /** True when that element matches. The effect of our own edits, which may end a match, does not count. */
  _fits: boolean;
}

/**
 * Writes the value of the last edit, or the page's own value without one. Returns whether anything had to be written.
 * `isLost` means that the page has reverted the change so often that it is given up.
 */
export type SettleSlot<T> = (edit?: Edit<T>, edits?: Edit<T>[], isLost?: boolean) => unknown;

/** The page has moved the element: its slot is settled again, even if nothing else has changed. */
export const REPLACED = 2;

export interface SlotPresence {
  /**
   * Returns whether the nodes that the change needs are in the page; `REPLACED` if they are in another place than
   * before.
   */
  _isThere(): unknown;
}

interface Slot extends SlotPresence {
  _element: Element;
  _key: unknown;
  _edits: Edit<never>[];
  _settle: SettleSlot<never>;
}

/** The slots of an element, and the number of times that its changes were made again. */
interface ElementState {
  _slots: InstanceType<typeof Slots>;
  /** Number of times that changes were made again: in total, and in the second `_at` as `_burst`. */
  _times: number;
  _at: number;
  _burst: number;
}

const rules = new Map<Rule, Dependence>();
const slots = new Set<Slot>();
const elementStates = new WeakMap<Element, ElementState>();

/** Rules by the names that they depend on, and rules that depend on siblings. */
const rulesByName = new Map<string, Set<Rule>>();
const orderedRules = new Set<Rule>();

let isParsing = doc.readyState === "loading";
listen(doc, "readystatechange", async () => {
  // Observers see the last mutations of the parser before this continues.
  await null;
  isParsing = false;
  // The parser attaches declarative shadow roots.
  applyInRoots();
});

/** Returns whether the document is being parsed, or the mutations that are processed come from the parser. */
export const isLoading = (): boolean => isParsing;

// Taken now, as a page may redefine them before they are used.
const Slots = Map<unknown, Slot>;
const NewMap = Map;
const NewSet = Set;
const touched = new Set<Node | null>();
const added = new Set<Node>();

/** Mutations that are not processed yet: those of the page, and our own. */
let pageMutations: MutationRecord[] = [];
let ownMutations: MutationRecord[] = [];
let isWriting = false;
let isPlanned = false;

/**
 * A node whose mutation causes mutations that were taken from the observer to be processed when the observer would have
 * been called. A microtask would not do: WebKit calls observers until there are no mutations left, so that one of the
 * page that reverts what we do at once would be called for ever.
 */
const signal = doc.createTextNode("");

const observer = new MutationObserver((mutations) => {
  noteMoves(mutations);
  pageMutations = pageMutations.concat(mutations);
  processMutations();
});

/**
 * Attributes the pending mutations to the page or to us. After our own, matches are tested again before the page
 * continues.
 */
function takeMutations(isOurs: boolean): void {
  const taken = observer.takeRecords();
  if (!isOurs) {
    noteMoves(taken);
    // A framework may insert thousands of nodes one by one into an element whose methods are intercepted.
    for (const mutation of taken) pageMutations.push(mutation);
  } else if (taken[0]) {
    ownMutations = ownMutations.concat(taken);
    retest(taken, scopesOf(taken), true);
  }
}

/** Runs `work` and attributes its mutations to us, or with `false` to the page, for page code called in between. */
export function asOurs<T>(work: () => T, isOurs = true): T {
  const before = isWriting;
  if (before === isOurs) return work();
  takeMutations(before);
  isWriting = isOurs;
  try {
    return work();
  } finally {
    takeMutations(isOurs);
    isWriting = before;
    if (!isPlanned && (pageMutations[0] || ownMutations[0])) {
      isPlanned = true;
      signal.data = "";
    }
  }
}

new MutationObserver(() => {
  isPlanned = false;
  processMutations();
}).observe(signal, { characterData: true });

function processMutations(): void {
  const [page, own] = [pageMutations, ownMutations];
  pageMutations = [];
  ownMutations = [];
  if (page[0] || own[0]) {
    if (isAwaitingView()) asOurs(() => notifyViewWaits(page));
    if (rules.size) asOurs(() => applyMutations(page, own));
  }
}

function applyMutations(page: MutationRecord[], own: MutationRecord[]): void {
  // When a large part of the page was parsed, searching the whole page is faster than testing each node.
  const many = isLoading() && page.length + own.length > 99;
  for (const { target, addedNodes } of many ? [] : page.concat(own)) {
    touched.add(target.nodeType === 3 ? target.parentNode : target);
    addedNodes.forEach((node) => added.add(node));
  }
  const scopes = scopesOf(page);
  retest(page, scopes, false);
  slots.forEach((slot) => quietly(() => checkSlot(slot, many || touched)));
  const fresh = [...added].filter(
    (node): node is Element => node.nodeType === 1 && node.isConnected && !added.has(node.parentNode as Node),
  );
  const whole = many || fresh[30];
  const wanted = whole ? [] : fresh.filter(mayContainMatch);
  rules.forEach((_, rule) =>
    // Code may pass an invalid selector.
    quietly(() => {
      const scope = scopes.get(rule);
      if (!whole && !fresh[0] && !scope) return;
      const isAll = whole || rule._isWide || scope?.has(doc);
      const among = [...wanted, ...((scope ?? []) as Iterable<Element>)];
      applyTo(
        rule,
        isAll
          ? queryAll(rule._selector)
          : among.flatMap((node) =>
              [node, ...queryAll(rule._selector, node)].filter((found) => matchesSelector(found, rule._selector)),
            ),
      );
    }),
  );
  // Release nodes that the page has removed.
  touched.clear();
  added.clear();
  releaseHosts();
}

/** For each rule, the subtrees in which its matches may have changed. */
type Scopes = Map<Rule, Set<Node>>;

/** The scopes of mutations: an attribute affects the subtree of its element, and order also its siblings. */
function scopesOf(mutations: MutationRecord[]): Scopes {
  const scopes: Scopes = new NewMap();
  // Where we have inserted or moved nodes, selectors that count siblings are not tested again.
  const shifted = orderedRules.size
    ? [...slots].filter(({ _edits: edits }) => (lastOf({ _edits: edits } as Slot)._value as { _near?: Node })._near)
    : [];
  const isShifted = (rule: Rule, place: Node): boolean =>
    shifted.some(({ _element: element }) =>
      (rules.get(rule)!._whole ? doc : (place.parentNode ?? place)).contains(element),
    );
  const add = (rule: Rule, node: Node): void => {
    const { _ordered: ordered, _whole: whole } = rules.get(rule) as Dependence;
    let nodes = scopes.get(rule);
    if (!nodes) scopes.set(rule, (nodes = new NewSet()));
    // A few subtrees are searched one by one; with more, the whole document is searched.
    if (!nodes.has(doc)) nodes.add(whole || nodes.size > 8 ? doc : (ordered && node.parentNode) || node);
  };
  for (const mutation of mutations) {
    const { type, target } = mutation;
    if (type === "attributes") {
      const classes =
        mutation.attributeName === "class"
          ? (elementStates.get(target as Element)?._slots.get("class")?._edits as Edit<string>[] | undefined)
          : undefined;
      // The page may have added or removed a class that we set as well, which the mutation does not show.
      const hidden = (classes ?? []).flatMap(({ _value: value }) =>
        words(value).map((name) => name.replace(/^-?/, ".")),
      );
      for (const name of [...changedNames(mutation), ...hidden])
        rulesByName.get(name)?.forEach((rule) => add(rule, target));
    } else if (type === "childList") {
      // The parser only appends, so only rules about the last siblings are affected.
      orderedRules.forEach(
        (rule) => (!isLoading() || rules.get(rule)!._last) && !isShifted(rule, target) && add(rule, target),
      );
    }
  }
  return scopes;
}

/** Tests matches again and removes the edits of elements that no longer match. After our own mutations the result is only noted. */
function retest(mutations: MutationRecord[], scopes: Scopes, isOurs: boolean): void {
  const moved: Node[] = [];
  for (const { removedNodes } of mutations)
    removedNodes.forEach((node) => node.isConnected && node.nodeType === 1 && moved.push(node));
  // Removing a change restores content, which may contain further changes, hence the loop.
  for (let isDropped = !!(scopes.size || moved[0]); isDropped; ) {
    isDropped = false;
    slots.forEach((slot) =>
      quietly(() => {
        for (const wanted of [...slot._edits] as Edit<unknown>[]) {
          const { _rule: rule, _match: match } = wanted;
          const scope = scopes.get(rule);
          const isMoved = moved[30] || moved.some((node) => node.contains(match));
          if (
            !match.isConnected ||
            !(isMoved || (scope && (rule._isWide || [...scope].some((node) => node.contains(match)))))
          )
            continue;
          const is = isMatch(wanted);
          if (is || isOurs) wanted._fits = is;
          else if (wanted._fits) isDropped = endMatch(slot, wanted);
        }
      }),
    );
  }
}

/** Returns whether the element of an edit matches, or would match without our edits of attributes in the selector. */
function isMatch({ _rule: rule, _match: match }: Edit<unknown>): boolean {
  if (matchesSelector(match, rule._selector)) return true;
  const { _names: names } = rules.get(rule) as Dependence;
  const off: Slot[] = [];
  const attributes = [...names].map(attributeOf);
  for (let node: Node | null = match; node; node = node.parentNode ?? (node as ShadowRoot).host) {
    elementStates.get(node as Element)?._slots.forEach((slot, key) => {
      if (attributes.includes(key === styleSlot ? "style" : (key as string)) && lastOf(slot)._rule._keep)
        off.push(slot);
    });
  }
  if (!off[0]) return false;
  takeMutations(true);
  for (const slot of off) slot._settle();
  const answer = matchesSelector(match, rule._selector);
  for (const slot of off) slot._settle(lastOf(slot), slot._edits);
  // Everything is as before, so these mutations are discarded.
  observer.takeRecords();
  return answer;
}

const lastOf = ({ _edits: edits }: Slot): Edit<never> => edits[edits.length - 1] as Edit<never>;

/** Number of times that an element stopped matching in the current second. */
const matchChanges = new WeakMap<Element, [second: number, times: number]>();

/** Removes an edit whose element no longer matches. If it matches again, it counts as new. */
function endMatch(slot: Slot, wanted: Edit<unknown>): true {
  const { _rule: rule, _match: match } = wanted;
  const second = floor(now() / 1000);
  const [at, times] = matchChanges.get(match) ?? [];
  const count = at === second ? times! + 1 : 1;
  matchChanges.set(match, [second, count]);
  // A page that toggles the match in response to each change would loop forever.
  if (count > 99) rule._lost();
  else rule._done.delete(match);
  removeEdits(slot, (other) => other === wanted);
  return true;
}

/** Removes edits from a slot and settles it. */
function removeEdits(slot: Slot, isOut: (edit: Edit<never>) => boolean): void {
  const left = slot._edits.filter((other) => !isOut(other));
  if (left.length === slot._edits.length) return;
  slot._edits = left;
  if (left[0]) slot._settle(lastOf(slot), left);
  else closeSlot(slot);
}

/** The selectors of all rules that are searched in new elements only, as one list. */
let combinedSelector: string | undefined;

/** Returns whether an element is or contains a match of any of these rules. Most do not, which one query shows. */
function mayContainMatch(node: Element): unknown {
  combinedSelector ??= [...rules.keys()]
    .flatMap(({ _isWide: wide, _selector: selector }) => (wide ? [] : selector))
    .join();
  try {
    return node.matches(combinedSelector) || node.querySelector(combinedSelector);
  } catch {
    // One of them is not a valid selector.
    return true;
  }
}

/** Observes mutations of the given kinds, as long as there are rules. */
export const observe = (node: Node, what: MutationObserverInit): void => observer.observe(node, what);

/** Mutations that show that an element has the content of another view. */
const CONTENT: MutationObserverInit = { childList: true, characterData: true, subtree: true };

const STRUCTURE: MutationObserverInit = { childList: true, subtree: true };

/** Observes the document or the shadow root of a node. */
export const observeRoot = (node: Node): void => observe(node.getRootNode(), STRUCTURE);

/** The match to which a rule is being applied. */
let currentMatch: Element | undefined;

/** Rules that are not applied any more. */
const frozenRules = new WeakSet<Rule>();

/**
 * The frame after which elements of a rule were last added or removed, except by the parser. Frames are counted for
 * `RECENT_FRAMES` after that.
 */
const lastChangeFrame = new WeakMap<Rule, number>();
const frame = win.requestAnimationFrame.bind(win);
/** Routers that show a view before they change the address do both in the same frame or in successive ones. */
const RECENT_FRAMES = 2;
let frames = 0;
let lastCountedFrame = 0;

const count = (): void => void (++frames < lastCountedFrame && frame(count));

function noteChange(rule: Rule): void {
  lastChangeFrame.set(rule, frames);
  if (frames >= lastCountedFrame) frame(count);
  lastCountedFrame = frames + RECENT_FRAMES;
}

/** Stops applying rules, and returns the elements that they have changed. */
export function freezeRules(rules: Rule[], isContent: (key: unknown) => boolean): ViewMarkers {
  const elements = new NewSet<Element>();
  const contents: Element[] = [];
  for (const { _element: element, _key: key, _edits: edits } of slots) {
    if (!edits.some(({ _rule: rule }) => rules.includes(rule))) continue;
    elements.add(element);
    if (isContent(key)) contents.push(element);
  }
  for (const rule of rules) frozenRules.add(rule);
  observe(doc, STRUCTURE);
  return {
    _elements: elements,
    _contents: contents,
    _isRecent: rules.some((rule) => lastChangeFrame.get(rule)! + RECENT_FRAMES > frames),
  };
}

/** The rules that created a node: its own, and those that created the element for which it was created. */
const creators = new WeakMap<Node, Rule[]>();

/** Returns whether a node was created by a rule. */
export const isCreated = (node: Node): boolean => creators.has(node);

function creatorsOf(node: Node | null): Rule[] {
  for (; node; node = node.parentNode) if (creators.has(node)) return creators.get(node)!;
  return [];
}

/**
 * Records that a rule has created nodes for an element. The rule is not applied to them in turn: that would never end.
 */
export function markCreated<T extends Node>(rule: Rule, element: Element, nodes: T[]): T[] {
  for (const node of nodes) creators.set(node, [...creatorsOf(element), rule]);
  return nodes;
}

/** Applies a rule to elements to which it has not been applied. */
function applyTo(rule: Rule, elements: Element[], isLater = true): void {
  watchRoots(rule._selector, (root) => observe(root, STRUCTURE), applyInRoots);
  // A change may end the wait of another rule, which is applied meanwhile.
  const before = currentMatch;
  for (const element of elements) {
    currentMatch = element;
    if (frozenRules.has(rule) || rule._done.has(element) || creatorsOf(element).includes(rule) || !rule._act(element))
      continue;
    rule._done.add(element);
    if (isLater && !isLoading()) noteChange(rule);
  }
  currentMatch = before;
}

/** Applies a rule to an element that it could not change before, if that still matches. */
export const applyAgain = (rule: Rule, element: Element): void =>
  asOurs(() => {
    if (rules.has(rule) && matchesSelector(element, rule._selector)) applyTo(rule, [element], false);
  });

/** Searches shadow roots, which may have been attached without a mutation. */
function applyInRoots(): void {
  asOurs(() =>
    rules.forEach((_, rule) =>
      quietly(() => rule._selector.includes(">>>") && applyTo(rule, queryAll(rule._selector))),
    ),
  );
}

/** Checks a slot after `touched` nodes have changed; `true` stands for any. */
function checkSlot(slot: Slot, touched: Set<Node | null> | true): void {
  const { _element: element, _edits: edits } = slot;
  const presence = slot._isThere();
  if (!presence) {
    // An element that was removed gets the page's own state, and counts as new when it comes back.
    edits.forEach(({ _rule: rule }) => {
      rule._done.delete(element);
      noteChange(rule);
    });
    closeSlot(slot);
  } else if (presence === REPLACED || touched === true || touched.has(element) || touched.has(element.parentNode)) {
    const last = lastOf(slot);
    const record = elementStates.get(element) as ElementState;
    if ((last._rule._keep || isLoading()) && slot._settle(last, edits)) {
      // During parsing each chunk of the page may revert a change. That is not a conflict with the page, but is limited, too.
      const second = isLoading() ? 0 : floor(now() / 1000);
      record._burst = record._at === second ? record._burst + 1 : 1;
      record._at = second;
      if ((second && ++record._times > 50) || record._burst > (second ? 10 : 999)) {
        // An edit of the same match may be of another element, such as the sources of a picture.
        const lost = edits.map(({ _match: match }) => match);
        slots.forEach((other) => {
          if (!other._edits.some(({ _match: match }) => lost.includes(match))) return;
          other._edits.forEach(({ _rule: rule }) => rule._lost());
          closeSlot(other, true);
        });
      }
    }
  }
}

function closeSlot(slot: Slot, isLost?: boolean): void {
  slots.delete(slot);
  elementStates.get(slot._element)?._slots.delete(slot._key);
  slot._settle(undefined, undefined, isLost);
}

/** Adds an edit that sets the property `key` of an element to `value`; `make` creates the settler of a new slot. */
export function addEdit<T>(
  rule: Rule,
  element: Element,
  key: unknown,
  value: T,
  make: (presence: SlotPresence) => SettleSlot<T>,
): void {
  let record = elementStates.get(element);
  if (!record) elementStates.set(element, (record = { _slots: new Slots(), _times: 0, _at: 0, _burst: 0 }));
  let slot = record._slots.get(key);
  if (!slot) {
    // Observed once, while the element has changes.
    if (!record._slots.size) observe(element, { attributes: true });
    const made: Slot = {
      _element: element,
      _key: key,
      _edits: [],
      _settle: () => false,
      _isThere: () => isAttached(element) && made._edits.some(({ _match: match }) => isAttached(match)),
    };
    slot = made;
    slot._settle = make(slot);
    slots.add(slot);
    record._slots.set(key, slot);
  }
  const wanted = { _rule: rule, _value: value, _match: currentMatch, _fits: true } as unknown as Edit<never>;
  slot._edits.push(wanted);
  slot._settle(wanted, slot._edits);
}

/** Disconnects the observer when there are no rules and no waits. */
export function disconnectIfIdle(): void {
  if (!rules.size && !isAwaitingView()) {
    observer.disconnect();
    releaseHosts(true);
  }
}

/** Calls `begin` at once, or on back and forward navigation once the view that the styles of `css` match is there. */
export function whenShown(css: string, begin: () => void): void {
  if (!isTraversing) return begin();
  observe(doc, STRUCTURE);
  whenNextView(
    { _elements: new NewSet(), _contents: [], _isRecent: false },
    [css],
    () => {
      begin();
      disconnectIfIdle();
    },
    true,
  );
}

/** Excludes the current matches from a rule until the next view is there, and then calls `end`. */
function postponeRule(rule: Rule, end: () => void): void {
  const there = queryAll(rule._selector);
  const contents = there.slice(0, MARKERS_MAX);
  for (const element of there) rule._done.add(element);
  for (const element of contents) observe(element, CONTENT);
  whenNextView(
    { _elements: new NewSet(contents), _contents: contents, _isRecent: false },
    [],
    () => {
      for (const element of there) rule._done.delete(element);
      end();
    },
    true,
  );
}

/** Applies a rule to its matches, now and later, until it is undone. */
export function addRule(rule: Rule): Undo {
  const of = dependence(rule._selector);
  rules.set(rule, of);
  combinedSelector = undefined;
  if (of._ordered) orderedRules.add(rule);
  const names = [...of._names];
  for (const name of names) rulesByName.set(name, (rulesByName.get(name) ?? new NewSet()).add(rule));
  if (names[0]) {
    STRUCTURE.attributeFilter = [...new NewSet([...(STRUCTURE.attributeFilter ?? []), ...names.map(attributeOf)])];
    STRUCTURE.attributeOldValue = true;
  }
  observe(doc, STRUCTURE);
  const begin = (): void => {
    if (rules.has(rule)) asOurs(() => applyTo(rule, queryAll(rule._selector), false));
  };
  if (isTraversing) postponeRule(rule, begin);
  else begin();
  return () =>
    asOurs(() => {
      rules.delete(rule);
      combinedSelector = undefined;
      orderedRules.delete(rule);
      rulesByName.forEach((others) => others.delete(rule));
      slots.forEach((slot) => quietly(() => removeEdits(slot, (other) => other._rule === rule)));
      disconnectIfIdle();
    });
}
