// What the matches of a selector depend on, besides which elements there are.

import { all } from "../world";
import { words } from "./value";

export interface Dependence {
  /** Attributes as `name`, classes as `.name`, ids as `#name`; `style!` is what is important in a style. */
  names: Set<string>;
  /** Siblings or children count: a change may concern the siblings of its place, too. */
  ordered: boolean;
  /** What follows an element or is in it counts, so that the parser at work changes matches. */
  last: boolean;
  /** A change anywhere may concern any element. */
  whole: boolean;
}

// What is made later: by then a page may have redefined it.
const Names = Set<string>;

/** Attributes of which pseudo-classes with other names tell. */
const ATTRIBUTES: { [name: string]: string } = {
  enabled: "disabled",
  link: "href",
  "any-link": "href",
  optional: "required",
  "read-only": "readonly",
  "read-write": "readonly",
};

/** What a selector depends on, or more: texts within it are read as if they were names. */
export function dependence(selector: string): Dependence {
  const names = new Names();
  for (const [, kind, text] of selector.matchAll(/([.#:[])\s*(?:[\w*-]*\|)?((?:\\.|[\w-]|[^\0-\x7f])+)/g) as Iterable<
    [string, string, string]
  >) {
    // What is escaped is not read: any class, or any id.
    const plain = text.replace(/\\/g, "");
    const isEscaped = plain !== text;
    if (kind === ".") names.add(isEscaped ? "class" : "." + text);
    else if (kind === "#") names.add(isEscaped ? "id" : "#" + text);
    else if (kind === ":") names.add(ATTRIBUTES[text] ?? text);
    else if (plain === "style" && /\[style\*=important\]$/.test(selector)) names.add("style!");
    else names.add(plain).add(plain.toLowerCase());
  }
  const last = /:(nth-)?(last|only|empty|has)/.test(selector);
  return { names, last, ordered: last || /[+~]|:(nth|first)/.test(selector), whole: selector.includes(":has") };
}

/** The attribute that a name of a dependence is about. */
export const attributeOf = (name: string): string =>
  name[0] === "." ? "class" : name[0] === "#" ? "id" : name.replace("!", "");

/** The names that a mutation of an attribute is about: of classes those that came or went. */
export function namesOf({ target, attributeName, oldValue }: MutationRecord): string[] {
  const name = attributeName as string;
  const value = (target as Element).getAttribute(name);
  if (value === oldValue) return [];
  const kind = name === "class" ? "." : name === "id" ? "#" : "";
  // Styles change in each frame of some pages: most of them ask for what is important alone.
  if (!kind) return name === "style" && /important/.test(`${value}${oldValue}`) ? [name, "style!"] : [name];
  const [is, was] = [words(value), words(oldValue)];
  return [
    name,
    ...[...is.filter((word) => !was.includes(word)), ...was.filter((word) => !is.includes(word))].map(
      (word) => kind + word,
    ),
  ];
}

/** Whether an element of the page matches a selector, which may lead through shadow roots. */
export function fits(element: Element | undefined, selector: string): boolean {
  // It means the element itself where one is asked, and the document where all are.
  if (/:scope/.test(selector)) return all(selector).includes(element!);
  const at = selector.lastIndexOf(">>>");
  const { host } = (element?.getRootNode() ?? {}) as { host?: Element };
  return (
    !!element?.matches?.(selector.slice(at < 0 ? 0 : at + 3)) && (at < 0 ? !host : fits(host, selector.slice(0, at)))
  );
}
