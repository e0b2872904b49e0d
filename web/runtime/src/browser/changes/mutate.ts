// What an experiment changes on the page, item by item.

import type { Change } from "../../ruleset";
import { all, doc, quietly } from "../world";
import { contentSlot } from "./content";
import { edit, follow, type Rule } from "./engine";
import { parseNodes } from "./parse";
import { insertSlot, moveSlot, type Direction, type Position } from "./position";
import { applyCss } from "./sheet";
import { declared, styleSlot } from "./style";
import type { Undo } from "./undo";
import { valueSlot } from "./value";

/** Where nothing is found, and so at once. */
const nowhere = doc.createDocumentFragment();

export interface Applied {
  undo: Undo;
  /** Selectors that have matched nothing so far. Before the document is parsed this says little. */
  missing(): string[];
}

/**
 * Applies changes in order, now and to elements that come later, until they are undone.
 *
 * `keep`: what the page changes back is changed again, at most 10 times in a second and 50 times in all for an element; then the page has its
 * way. Without it each element is changed once. Elements that a framework owns are hidden, never removed. Scripts in html do not run.
 *
 * `trouble` is called once for each of `selector:` (not a selector), `change:` (could not be made) and `fight:` (given up), with the selector.
 */
export function applyChanges(items: Change[], keep: boolean, trouble: (what: string) => void): Applied {
  const undos: Undo[] = [];
  const wanted: string[] = [];
  const matched = new Set<string>();
  const said = new Set<string>();
  const say = (what: string): void => {
    if (!said.has(what)) {
      said.add(what);
      quietly(() => trouble(what));
    }
  };
  const valid = (selector: string): boolean => {
    const fine = selector.split(">>>").every((part) => quietly(() => nowhere.querySelector(part)) !== undefined);
    if (fine) wanted.push(selector);
    else say("selector:" + selector);
    return fine;
  };
  const on = (selector: string, wide: boolean, act: (rule: Rule, element: Element) => unknown): void => {
    if (!valid(selector)) return;
    const rule: Rule = {
      selector,
      wide: wide || selector.includes(">>>"),
      keep,
      done: new WeakSet(),
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
    undos.push(follow(rule));
  };

  for (const item of items) {
    const { target, rm, refEl, oriEl, htmlBlock, dir = "p" } = item;
    if (target) {
      on(target, false, (rule, element) => changeElement(rule, element, item));
    } else if (rm) {
      if (rm.includes(">>>")) on(rm, false, hide);
      else if (valid(rm)) undos.push(applyCss(rm + "{display:none!important}"));
    } else if (refEl && oriEl) {
      if (valid(refEl)) {
        on(oriEl, true, (rule, nodes) => {
          const near = all(refEl)[0];
          if (!near) return false;
          if (nodes.contains(near)) throw 0;
          edit<Position>(rule, nodes, moveSlot, { nodes: [nodes], near, direction: dir }, (needs) => moveSlot(nodes, needs));
        });
      }
    } else if (refEl && htmlBlock !== undefined) {
      on(refEl, false, (rule, near) => insert(rule, near, dir, htmlBlock));
    }
  }
  return {
    undo: () => undos.splice(0).reverse().forEach((undo) => undo()),
    missing: () => wanted.filter((selector) => !matched.has(selector) && !all(selector)[0]),
  };
}

function insert(rule: Rule, near: Element, direction: Direction, html: string): void {
  const around = direction === "p" ? near : (near.parentElement ?? near);
  const value = { nodes: parseNodes(around, "innerHTML", html), near, direction };
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

function setClasses(rule: Rule, element: Element, names: string): void {
  for (const item of names.split(/\s+/)) {
    const [, minus, name] = /^(-?)(.*)/.exec(item) as unknown as [string, string, string];
    if (name) {
      edit(rule, element, "." + name, !minus, () =>
        valueSlot(
          () => element.classList.contains(name),
          (wanted) => element.classList.toggle(name, wanted),
        ),
      );
    }
  }
}

const setStyle = (rule: Rule, element: Element, declarations: Parameters<typeof declared>[0]): void =>
  edit(rule, element, styleSlot, declared(declarations), () => styleSlot((element as HTMLElement).style));

function changeElement(rule: Rule, element: Element, item: Change): void {
  for (const kind of ["innerText", "textContent", "innerHTML"] as const) {
    const text = item[kind];
    if (text !== undefined) edit(rule, element, contentSlot, parseNodes(element, kind, text), () => contentSlot(element));
  }
  if (item.outerHTML !== undefined) {
    insert(rule, element, "a", item.outerHTML);
    hide(rule, element);
  }
  if (item.src !== undefined) {
    // Other sizes of the old picture would win over the new source.
    [element, ...(element.closest("picture")?.children ?? [])].forEach(
      (source) => source.hasAttribute("srcset") && attribute(rule, source, "srcset", null),
    );
    attribute(rule, element, "src", item.src);
  }
  if (item.href !== undefined) attribute(rule, element, "href", item.href);
  if (item.style) setStyle(rule, element, item.style);
  if (item.class) setClasses(rule, element, item.class);
}
