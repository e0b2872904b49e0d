// What an experiment changes on the page, item by item.

import type { Change, Plain } from "../../ruleset";
import { CHANGES_TOLD } from "../limits";
import { all, doc, quietly } from "../world";
import { contentSlot } from "./content";
import { edit, follow, held, made, offerAgain, rest, type Rule, whenShown } from "./engine";
import { gate } from "./hydration";
import { untilNext } from "./leave";
import { parseNodes } from "./parse";
import { insertSlot, moveSlot, type Direction, type Position } from "./position";
import { applyCss } from "./sheet";
import { declared, ruleOf, styleSlot } from "./style";
import type { Undo } from "./undo";
import { classSlot, valueSlot } from "./value";

// What is made later: by then a page may have redefined it.
const Selectors = Set<string>;
const Wanted = Map<Change, string[]>;

/** Where nothing is found, and so at once. */
const nowhere = doc.createDocumentFragment();

export interface Applied {
  undo: Undo;
  /** Selectors that have matched nothing so far. Before the document is parsed this says little. */
  missing(): string[];
  /** Acts on nothing more, and calls `end` when what was changed is seen no longer; `css` is what else was shown with it. */
  leave(css: string[], end: () => void): void;
  /**
   * Of all changes of an arm, of which these are some, whether they have found what they change: `1`, `0`, or `-` for those that look
   * for nothing here. Nothing where that is all of them.
   */
  found(data: Change[] | undefined): string | undefined;
}

/**
 * Applies changes in order, now and to elements that come later, until they are undone.
 *
 * `keep`: what the page changes back is changed again, at most 10 times in a second and 50 times in all for an element; then the page has its
 * way. Without it each element is changed once. Elements that a framework owns are hidden, never removed. Scripts in html do not run.
 *
 * `waits`: words and nodes wait until a framework has taken over the element that they belong to, with `true` also where there is no sign of one;
 * with `false` nothing waits. See hydration.ts.
 *
 * `trouble` is called once for each of `selector:` (not a selector), `change:` (could not be made) and `fight:` (given up), with the selector.
 */
export function applyChanges(
  items: Change[],
  keep: boolean,
  trouble: (what: string) => void,
  waits?: boolean,
): Applied {
  const undos: Undo[] = [];
  const rules: Rule[] = [];
  const styles: string[] = [];
  const gates: Undo[] = [];
  /** What each change looks for. */
  const wanted = new Wanted();
  const matched = new Set<string>();
  const said = new Set<string>();
  const say = (what: string): void => {
    if (!said.has(what)) {
      said.add(what);
      quietly(() => trouble(what));
    }
  };
  const isFine = (selector: string): boolean =>
    selector.split(">>>").every((part) => quietly(() => nowhere.querySelector(part)) !== undefined);
  const finds = (selector: string): boolean => matched.has(selector) || !!all(selector)[0];
  const valid = (selector: string): boolean => {
    const fine = isFine(selector);
    if (!fine) say("selector:" + selector);
    return fine;
  };
  // What is there already may have been seen; what comes later has not been.
  let isSeen: unknown = quietly(() => performance.getEntriesByType("paint")[0]);
  /**
   * Follows a selector. `act` makes the change; where it changes words or nodes, `owners` are the elements whose content that is, and `first` does at
   * once what need not wait for a framework. What comes beside a change (`isBeside`) may match nothing.
   */
  const on = (
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
        wide: wide || selector.includes(">>>"),
        keep,
        _done: new WeakSet(),
        lost: () => say("fight:" + selector),
        act: (element) => {
          matched.add(selector);
          try {
            return act(rule, element) !== false;
          } catch {
            say("change:" + selector);
            return true;
          }
        },
      };
      rules.push(rule);
      undos.push(follow(rule));
      return rule;
    };
    if (first) followed(first);
    const { holds, leave } = gate(
      !!waits,
      () => !isSeen,
      (element) => offerAgain(rule, element),
    );
    undos.push(leave);
    gates.push(leave);
    const rule = followed((rule, element) =>
      // Where a page has redefined what it takes to find out, nothing waits.
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
      const css =
        keep && item.style && !target.includes(">>>") && valid(target) ? ruleOf(target, item.style) : undefined;
      if (css) {
        style(css);
        // Only what the page itself declares as important in the attribute is stronger.
        on(
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
      const rest = left.src ?? left.href ?? left.style ?? left.class;
      if (beside || INSIDE.some((kind) => item[kind] !== undefined)) {
        const owners = (element: Element) => [element, beside ? element.parentElement : null];
        on(
          target,
          false,
          (rule, element) => changeContent(rule, element, item),
          owners,
          rest != null ? (rule, element) => changeElement(rule, element, left) : undefined,
        );
      } else if (rest != null || !css) {
        on(target, false, (rule, element) => changeElement(rule, element, left));
      }
    } else if (rm) {
      if (rm.includes(">>>")) on(rm, false, hide);
      else if (valid(rm)) style(rm + "{display:none!important}");
    } else if (refEl && oriEl) {
      if (valid(refEl)) {
        on(
          oriEl,
          true,
          (rule, nodes) => {
            const near = all(refEl)[0];
            if (!near) return false;
            if (nodes.contains(near)) throw 0;
            edit<Position>(rule, nodes, moveSlot, { nodes: [nodes], near, direction: dir }, (needs) =>
              moveSlot(nodes, needs),
            );
          },
          (nodes) => [nodes.parentElement, around(all(refEl)[0], dir)],
        );
      }
    } else if (refEl && htmlBlock !== undefined) {
      on(
        refEl,
        false,
        (rule, near) => insert(rule, near, dir, htmlBlock),
        (near) => [around(near, dir)],
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
      // What waits to be changed is not, and so is shown.
      for (const open of gates) quietly(open);
      untilNext(
        held(rules, (key) => key === contentSlot),
        [...styles, ...css],
        () => {
          end();
          rest();
        },
      );
    },
    missing: () =>
      [...new Selectors([...wanted.values()].flat())].filter((selector) => isFine(selector) && !finds(selector)),
    found: (data) => {
      const told = (data ?? [])
        .slice(0, CHANGES_TOLD)
        .map((item) => (wanted.has(item) ? +wanted.get(item)!.every(finds) : "-"))
        .join("");
      return /\d/.test(told) ? told : undefined;
    },
  };
}

/** The element that gets what is put near another one. */
const around = (near: Element | undefined, direction: Direction): Element | undefined =>
  direction === "p" ? near : (near?.parentElement ?? near);

function insert(rule: Rule, near: Element, direction: Direction, html: string): void {
  const value = { nodes: made(rule, near, parseNodes(around(near, direction)!, "innerHTML", html)), near, direction };
  edit(rule, near, rule, value, () => insertSlot(value));
}

const hide = (rule: Rule, element: Element): void => setStyle(rule, element, "display:none");

function attribute(rule: Rule, element: Element, name: string, value: string | null): void {
  edit(rule, element, name, value, () =>
    valueSlot(
      () => element.getAttribute(name),
      (next) => (next == null ? element.removeAttribute(name) : element.setAttribute(name, next)),
    ),
  );
}

const setStyle = (rule: Rule, element: Element, declarations: Parameters<typeof declared>[0]): void =>
  edit(rule, element, styleSlot, declared(declarations), () => styleSlot((element as HTMLElement).style));

/** What is changed of an element's content. */
const INSIDE = ["innerText", "textContent", "innerHTML"] as const;

/** Changes words and nodes. */
function changeContent(rule: Rule, element: Element, item: Change): void {
  for (const kind of INSIDE) {
    const text = item[kind];
    if (text !== undefined)
      edit(rule, element, contentSlot, made(rule, element, parseNodes(element, kind, text)), () =>
        contentSlot(element),
      );
  }
  if (item.outerHTML !== undefined) {
    insert(rule, element, "a", item.outerHTML);
    hide(rule, element);
  }
}

/** Declares inline what the element's own attribute declares as important, too; false where it does not. */
function changeImportant(rule: Rule, element: Element, style: string | Record<string, Plain>): unknown {
  if (!declared(style).names.some((name) => (element as HTMLElement).style.getPropertyPriority(name))) return false;
  return setStyle(rule, element, style);
}

/** Changes what no framework compares: attributes, classes and styles. */
function changeElement(rule: Rule, element: Element, item: Change): void {
  if (item.src !== undefined) {
    // Other sizes of the old picture would win over the new source.
    [element, ...(element.closest("picture")?.children ?? [])].forEach(
      (source) => source.hasAttribute("srcset") && attribute(rule, source, "srcset", null),
    );
    attribute(rule, element, "src", item.src);
  }
  if (item.href !== undefined) attribute(rule, element, "href", item.href);
  if (item.style) setStyle(rule, element, item.style);
  if (item.class) edit(rule, element, "class", item.class, () => classSlot(element));
}
