// Dependencies of a selector's matches, besides the set of elements.

import { queryAll } from "../world";
import { words } from "./value";

export interface Dependence {
  /** Attributes as `name`, classes as `.name`, ids as `#name`; `style!` stands for important declarations in a style attribute. */
  _names: Set<string>;
  /** True when matches depend on siblings or children, so that a mutation may affect siblings, too. */
  _ordered: boolean;
  /** True when matches depend on what follows an element or is in it, so that the parser changes them. */
  _last: boolean;
  /** True when any mutation may affect any element. */
  _whole: boolean;
}

// Taken now, as a page may redefine it before it is used.
const Names = Set<string>;

/** Pseudo-classes that depend on an attribute with another name. */
const ATTRIBUTES: { [name: string]: string } = {
  enabled: "disabled",
  link: "href",
  "any-link": "href",
  optional: "required",
  "read-only": "readonly",
  "read-write": "readonly",
};

/** The dependencies of a selector, or a superset of them: strings within it are read as if they were names. */
export function dependence(selector: string): Dependence {
  const names = new Names();
  for (const [, kind, text] of selector.matchAll(/([.#:[])\s*(?:[\w*-]*\|)?((?:\\.|[\w-]|[^\0-\x7f])+)/g) as Iterable<
    [string, string, string]
  >) {
    // Escaped names are not parsed: they stand for any class or any id.
    const plain = text.replace(/\\/g, "");
    const isEscaped = plain !== text;
    if (kind === ".") names.add(isEscaped ? "class" : "." + text);
    else if (kind === "#") names.add(isEscaped ? "id" : "#" + text);
    else if (kind === ":") names.add(ATTRIBUTES[text] ?? text);
    else if (plain === "style" && /\[style\*=important\]$/.test(selector)) names.add("style!");
    else names.add(plain).add(plain.toLowerCase());
  }
  const last = /:(nth-)?(last|only|empty|has)/.test(selector);
  return {
    _names: names,
    _last: last,
    _ordered: last || /[+~]|:(nth|first)/.test(selector),
    _whole: selector.includes(":has"),
  };
}

/** The attribute that a name in `_names` belongs to. */
export const attributeOf = (name: string): string =>
  name[0] === "." ? "class" : name[0] === "#" ? "id" : name.replace("!", "");

/** The names that an attribute mutation affects; for classes, those that were added or removed. */
export function changedNames({ target, attributeName, oldValue }: MutationRecord): string[] {
  const name = attributeName as string;
  const value = (target as Element).getAttribute(name);
  if (value === oldValue) return [];
  const kind = name === "class" ? "." : name === "id" ? "#" : "";
  // Some pages change styles in each frame, so rules about important declarations ignore changes without any.
  if (!kind) return name === "style" && /important/.test(`${value}${oldValue}`) ? [name, "style!"] : [name];
  const [is, was] = [words(value), words(oldValue)];
  return [
    name,
    ...[...is.filter((word) => !was.includes(word)), ...was.filter((word) => !is.includes(word))].map(
      (word) => kind + word,
    ),
  ];
}

/** Returns whether an element matches a selector, which may have the form `host >>> inner`. */
export function matchesSelector(element: Element | undefined, selector: string): boolean {
  // In `matches` `:scope` is the element itself, but here it has to be the document.
  if (/:scope/.test(selector)) return queryAll(selector).includes(element!);
  const at = selector.lastIndexOf(">>>");
  const { host } = (element?.getRootNode() ?? {}) as { host?: Element };
  return (
    !!element?.matches?.(selector.slice(at < 0 ? 0 : at + 3)) &&
    (at < 0 ? !host : matchesSelector(host, selector.slice(0, at)))
  );
}
