// Declarations of changes, in style rules and in style attributes.

import type { Scalar } from "../../ruleset";
import { doc } from "../world";
import type { SettleSlot } from "./engine";

export interface Declarations {
  /** The declarations as given, which may include shorthands. */
  _set: [name: string, value: string][];
  /** The longhand properties that they set. */
  _names: string[];
}

type Value = [value: string, priority: string];

const scratch = doc.createElement("i").style;
const readProperty = (style: CSSStyleDeclaration, name: string): Value => [
  style.getPropertyValue(name),
  style.getPropertyPriority(name),
];

/** Parses declarations into properties, as those of two experiments may overlap. */
export function parseDeclarations(declarations: string | Record<string, Scalar>): Declarations {
  scratch.cssText =
    typeof declarations === "string"
      ? declarations
      : // Names in kebab case or in camel case.
        Object.entries(declarations)
          .map(([name, value]) => name.replace(/[A-Z]/g, "-$&") + ":" + value)
          .join(";");
  const found = [
    ...scratch.cssText.matchAll(/([^\s:;]+): ((?:"(?:\\.|[^"])*"|[^;"])*?)(?: !important)?;/g),
  ] as unknown as [string, string, string][];
  const names = found.flatMap(([, name, value]) => {
    scratch.cssText = "";
    scratch.setProperty(name, value);
    // A shorthand with a variable has no longhand values.
    return scratch.getPropertyValue(scratch[0] as string) ? [...scratch] : [name];
  });
  return { _set: found.map(([, name, value]) => [name, value]), _names: names };
}

/**
 * Raises the specificity above selectors of pages. All rules of the script have the same specificity, so later ones
 * win.
 */
const STRONG_SELECTOR = "#_".repeat(9) + ":not(*)";

/**
 * A style rule that applies the declarations to all matches. Undefined if it cannot be written as one rule: for
 * selectors through shadow roots, and for those that are closed only by the end of the text.
 */
export function ruleOf(selector: string, declarations: string | Record<string, Scalar>): string | undefined {
  const text = parseDeclarations(declarations)._set.map(([name, value]) => `${name}:${value}!important`);
  const css = `:is(${selector},${STRONG_SELECTOR}){${text.join(";")}}`;
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    const [rule, more] = sheet.cssRules as unknown as CSSStyleRule[];
    if (rule!.style.length && !more && !selector.includes(">>>")) return css;
  } catch {
    // Without constructed sheets each element is changed instead.
  }
}

/**
 * Settles the style attribute of an element: later edits override earlier ones.
 *
 * Compares the whole attribute as text, as reading each property takes too long.
 */
export function styleSlot(style: CSSStyleDeclaration): SettleSlot<Declarations> {
  /** The page's own values of the properties that are set. */
  const own: { [name: string]: Value } = {};
  let ours: string[] = [];
  let text = "";
  let before: unknown;
  return (_last, edits = []) => {
    const now = style.cssText;
    if (before === edits.length && now === text) return false;
    let rewritten = before !== edits.length;
    before = edits.length;
    scratch.cssText = text;
    const names = edits.flatMap(({ _value: value }) => value._names);
    for (const name of [...ours, ...names]) {
      const is: Value = now ? readProperty(style, name) : ["", ""];
      // A value that is not ours is the page's.
      const isOurs = ours.includes(name);
      if (!isOurs || `${is}` !== `${readProperty(scratch, name)}`) {
        own[name] = is;
        rewritten ||= isOurs;
      }
    }
    ours.forEach((name) => style.setProperty(name, ...own[name]!));
    edits.forEach(({ _value: value }) =>
      value._set.forEach(([name, wanted]) => style.setProperty(name, wanted, "important")),
    );
    ours = names;
    text = style.cssText;
    return rewritten;
  };
}
