// Applies the changes of an experiment, item by item.

import type { Change, Scalar } from "../../ruleset";
import { REPORTED_CHANGES_MAX } from "../limits";
import { queryAll, doc, quietly } from "../world";
import { contentSlot } from "./content";
import {
  addEdit,
  addRule,
  freezeRules,
  markCreated,
  applyAgain,
  disconnectIfIdle,
  observeRoot,
  type Rule,
  whenShown,
} from "./engine";
import { gate, noteFramework } from "./hydration";
import { whenNextView } from "./leave";
import { parseNodes } from "./parse";
import { insertSlot, moveSlot, type Direction, type Position } from "./position";
import { couldRun, couldRunMoved, isLoadingStyle, isMarked } from "./runnable";
import { applyCss } from "./sheet";
import { parseDeclarations, ruleOf, styleSlot } from "./style";
import type { Undo } from "./undo";
import { classSlot, valueSlot } from "./value";

// Taken now, as a page may redefine them before they are used.
const Selectors = Set<string>;
const Items = Set<Change>;
const Wanted = Map<Change, string[]>;
const { entries } = Object;

/** Thrown by a change that could run code. */
const REFUSED = {};

/** An empty tree, in which selectors are validated quickly. */
const emptyFragment = doc.createDocumentFragment();

export interface AppliedChanges {
  undo: Undo;
  /**
   * Selectors that have matched nothing so far, and those of changes that changed none of their matches. Meaningful
   * once the document is parsed.
   */
  missing(): string[];
  /** Stops changing elements, and calls `end` when the next view is there; `css` are the style sheets of the same arm. */
  leave(css: string[], end: () => void): void;
  /**
   * One character for each change of the arm: `1` if it has changed something, `0` if not, `-` if it does not apply to
   * this page. Undefined if none applies.
   */
  found(data: Change[] | undefined): string | undefined;
}

/**
 * Applies changes in order, now and to elements that are added later, until they are undone.
 *
 * With `keep`, a change that the page reverts is made again, at most 10 times in a second and 50 times in total for an
 * element; then the change is given up. Without it, each element is changed once. Elements that a framework owns are
 * hidden, never removed. Scripts in HTML do not run.
 *
 * Changes of text and nodes wait until a framework has hydrated their element. With `waits` they wait even without a
 * sign of a framework; with `false` nothing waits. `note` is the name of the session storage item that stores that a
 * framework was found. See hydration.ts.
 *
 * A change that could run code on an element is not made, unless the server has marked it: see runnable.ts.
 *
 * `trouble` is called once for each selector with a prefix: `selector:` (not valid), `change:` (failed), `code:`
 * (refused, as it could run code) or `fight:` (given up).
 */
export function applyChanges(
  items: Change[],
  keep: boolean,
  trouble: (what: string) => void,
  waits?: boolean,
  note?: string,
): AppliedChanges {
  if (note) noteFramework(note);
  const undos: Undo[] = [];
  const rules: Rule[] = [];
  const styles: string[] = [];
  const gates: Undo[] = [];
  /** The selectors of each change. */
  const wanted = new Wanted();
  const matched = new Set<string>();
  /** Changes that have changed an element, and those that could not change one. */
  const made = new Items();
  const failed = new Items();
  const isMade = (item: Change): boolean => made.has(item) || !failed.has(item);
  const said = new Set<string>();
  const say = (what: string): void => {
    if (!said.has(what)) {
      said.add(what);
      quietly(() => trouble(what));
    }
  };
  const isFine = (selector: string): boolean =>
    selector.split(">>>").every((part) => quietly(() => emptyFragment.querySelector(part)) !== undefined);
  const finds = (selector: string): boolean => matched.has(selector) || !!queryAll(selector)[0];
  const valid = (selector: string): boolean => {
    const fine = isFine(selector);
    if (!fine) say("selector:" + selector);
    return fine;
  };
  // Elements that are there already may have been painted; later ones have not been.
  let isSeen: unknown = quietly(() => performance.getEntriesByType("paint")[0]);
  /**
   * Adds a rule for a selector of an item. `act` makes the change. If it changes text or nodes, `owners` returns the
   * elements whose content changes, and `first` makes at once the changes that need not wait for hydration. A rule with
   * `isBeside` accompanies another and may match nothing.
   */
  const on = (
    item: Change,
    selector: string,
    wide: boolean,
    act: (rule: Rule, element: Element) => unknown,
    owners?: (element: Element) => (Element | null | undefined)[],
    first?: (rule: Rule, element: Element) => void,
    isBeside?: boolean,
  ): void => {
    if (!isBeside && !valid(selector)) return;
    const followed = (act: (rule: Rule, element: Element) => unknown): Rule => {
      const rule: Rule = {
        _selector: selector,
        _isWide: wide || selector.includes(">>>"),
        _keep: keep,
        _done: new WeakSet(),
        _lost: () => say("fight:" + selector),
        _act: (element) => {
          matched.add(selector);
          try {
            if (!isMarked(item) && couldRun(item, element)) throw REFUSED;
            if (act(rule, element) === false) return false;
            if (!isBeside) made.add(item);
          } catch (error) {
            failed.add(item);
            say((error === REFUSED ? "code:" : "change:") + selector);
          }
          return true;
        },
      };
      rules.push(rule);
      undos.push(addRule(rule));
      return rule;
    };
    if (first) followed(first);
    const { _holds: holds, _leave: leave } = gate(
      !!waits,
      () => !isSeen,
      (element) => applyAgain(rule, element),
    );
    undos.push(leave);
    gates.push(leave);
    const rule = followed((rule, element) =>
      // If the check fails because a page has redefined functions that it uses, nothing waits.
      owners && waits !== false && quietly(() => holds(element, owners(element).filter(Boolean) as Element[]))
        ? false
        : act(rule, element),
    );
  };
  const style = (css: string): void => {
    let undo: Undo | undefined;
    let isOver = false;
    styles.push(css);
    whenShown(css, () => {
      if (!isOver) undo = applyCss(css);
    });
    undos.push(() => {
      isOver = true;
      undo?.();
    });
  };

  for (const item of items) {
    const { target, rm, refEl, oriEl, htmlBlock, dir = "p" } = item;
    const selectors = (target || rm ? [target || rm] : [refEl, oriEl]).filter(
      (selector): selector is string => !!selector,
    );
    if (selectors[0]) wanted.set(item, selectors);
    if (target) {
      // A rule would also style elements on which the declarations could run code.
      const isForAll = isMarked(item) || !isLoadingStyle(item.style);
      const css =
        keep && item.style && isForAll && !target.includes(">>>") && valid(target)
          ? ruleOf(target, item.style)
          : undefined;
      if (css) {
        style(css);
        // Only important declarations in the page's own style attributes override the style rule.
        on(
          item,
          `:is(${target})[style*=important]`,
          false,
          (rule, element) => changeImportant(rule, element, item.style!),
          undefined,
          undefined,
          true,
        );
      }
      const { style: _, ...without } = item;
      const left: Change = css ? without : item;
      const beside = item.outerHTML !== undefined;
      const rest = left.src ?? left.href ?? left.style ?? left.class ?? left.attributes;
      if (beside || CONTENT_KEYS.some((kind) => item[kind] !== undefined)) {
        const owners = (element: Element) => [element, beside ? element.parentElement : null];
        on(
          item,
          target,
          false,
          (rule, element) => changeContent(rule, element, item),
          owners,
          rest != null ? (rule, element) => changeElement(rule, element, left) : undefined,
        );
      } else if (rest != null || !css) {
        on(item, target, false, (rule, element) => changeElement(rule, element, left));
      }
    } else if (rm) {
      if (rm.includes(">>>")) on(item, rm, false, hide);
      else if (valid(rm)) style(rm + "{display:none!important}");
    } else if (refEl && oriEl) {
      if (valid(refEl)) {
        on(
          item,
          oriEl,
          true,
          (rule, nodes) => {
            const near = queryAll(refEl)[0];
            if (!near) return false;
            if (nodes.contains(near)) throw 0;
            if (!isMarked(item) && couldRunMoved(nodes, near, dir)) throw REFUSED;
            observeRoot(near);
            addEdit<Position>(rule, nodes, moveSlot, { _nodes: [nodes], _near: near, _direction: dir }, (presence) =>
              moveSlot(nodes, presence),
            );
          },
          (nodes) => [nodes.parentElement, ownerOf(queryAll(refEl)[0], dir)],
        );
      }
    } else if (refEl && htmlBlock !== undefined) {
      on(
        item,
        refEl,
        false,
        (rule, near) => insert(rule, near, dir, htmlBlock),
        (near) => [ownerOf(near, dir)],
      );
    }
  }
  isSeen = false;
  return {
    undo: () =>
      undos
        .splice(0)
        .reverse()
        .forEach((undo) => undo()),
    leave(css, end) {
      // Elements that still wait are not changed any more, so they are shown.
      for (const open of gates) quietly(open);
      whenNextView(
        freezeRules(rules, (key) => key === contentSlot),
        [...styles, ...css],
        () => {
          end();
          disconnectIfIdle();
        },
      );
    },
    missing: () => {
      const isOf = (selector: string): boolean =>
        [...wanted].some(([item, selectors]) => selectors.includes(selector) && isMade(item));
      return [...new Selectors([...wanted.values()].flat())].filter(
        (selector) => isFine(selector) && !(finds(selector) && isOf(selector)),
      );
    },
    found: (data) => {
      const told = (data ?? [])
        .slice(0, REPORTED_CHANGES_MAX)
        .map((item) => (wanted.has(item) ? +(isMade(item) && wanted.get(item)!.every(finds)) : "-"))
        .join("");
      return /\d/.test(told) ? told : undefined;
    },
  };
}

/** The parent of nodes that are inserted relative to `near`. */
const containerOf = (near: Element | undefined, direction: Direction): Element | undefined =>
  direction === "p" ? near : (near?.parentElement ?? near);

/**
 * The element that has to be hydrated before nodes are inserted. None at the end of the body, which frameworks ignore.
 */
const ownerOf = (near: Element | undefined, direction: Direction): Element | undefined =>
  direction === "p" && near === doc.body ? undefined : containerOf(near, direction);

function insert(rule: Rule, near: Element, direction: Direction, html: string): void {
  const value = {
    _nodes: markCreated(rule, near, parseNodes(containerOf(near, direction)!, "innerHTML", html)),
    _near: near,
    _direction: direction,
  };
  addEdit(rule, near, rule, value, () => insertSlot(value));
}

const hide = (rule: Rule, element: Element): void => setStyle(rule, element, "display:none");

function attribute(rule: Rule, element: Element, name: string, value: string | null): void {
  addEdit(rule, element, name, value, () =>
    valueSlot(
      () => element.getAttribute(name),
      (next) => (next == null ? element.removeAttribute(name) : element.setAttribute(name, next)),
    ),
  );
}

const setStyle = (rule: Rule, element: Element, declarations: Parameters<typeof parseDeclarations>[0]): void =>
  addEdit(rule, element, styleSlot, parseDeclarations(declarations), () => styleSlot((element as HTMLElement).style));

/** The keys of an item that change the content of an element. */
const CONTENT_KEYS = ["innerText", "textContent", "innerHTML"] as const;

/** Buttons that show their value as their text. */
const VALUE_BUTTONS = "input[type=submit i],input[type=button i],input[type=reset i]";
/** Elements that do not show the text in them. */
const WITHOUT_TEXT =
  /^(input|img|br|hr|wbr|col|area|source|track|embed|iframe|object|video|audio|canvas|meter|progress)$/;

/** Changes text and nodes. */
function changeContent(rule: Rule, element: Element, item: Change): void {
  for (const kind of CONTENT_KEYS) {
    const text = item[kind];
    if (text === undefined) continue;
    if (kind !== "innerHTML" && element.matches(VALUE_BUTTONS)) attribute(rule, element, "value", text);
    // The text would not be visible.
    else if (kind !== "innerHTML" && WITHOUT_TEXT.test(element.localName)) throw 0;
    else
      addEdit(rule, element, contentSlot, markCreated(rule, element, parseNodes(element, kind, text)), () =>
        contentSlot(element),
      );
  }
  if (item.outerHTML !== undefined) {
    insert(rule, element, "a", item.outerHTML);
    hide(rule, element);
  }
}

/** Sets inline the declarations that the element's own style attribute has as important; false if it has none. */
function changeImportant(rule: Rule, element: Element, style: string | Record<string, Scalar>): unknown {
  if (!parseDeclarations(style)._names.some((name) => (element as HTMLElement).style.getPropertyPriority(name)))
    return false;
  return setStyle(rule, element, style);
}

/** Changes attributes, classes and styles, which frameworks do not compare. */
function changeElement(rule: Rule, element: Element, item: Change): void {
  if (item.src !== undefined) {
    // `srcset` of the old picture takes precedence over `src`.
    [element, ...(element.closest("picture")?.children ?? [])].forEach(
      (source) => source.hasAttribute("srcset") && attribute(rule, source, "srcset", null),
    );
    attribute(rule, element, "src", item.src);
  }
  if (item.href !== undefined) attribute(rule, element, "href", item.href);
  if (item.style) setStyle(rule, element, item.style);
  for (const [name, value] of entries(item.attributes ?? {})) attribute(rule, element, name, value);
  if (item.class) addEdit(rule, element, "class", item.class, () => classSlot(element));
}
