// Declarations in an element's style attribute.

import type { Plain } from "../../ruleset";
import { doc } from "../world";
import type { Settle } from "./engine";

export interface Declarations {
  /** As they were asked for, of which one may stand for many properties. */
  set: [name: string, value: string][];
  /** All the single properties that they set. */
  names: string[];
}

type Value = [value: string, priority: string];

const scratch = doc.createElement("i").style;
const read = (style: CSSStyleDeclaration, name: string): Value => [
  style.getPropertyValue(name),
  style.getPropertyPriority(name),
];

/** Takes declarations apart, property by property: what two experiments set may overlap. */
export function declared(declarations: string | Record<string, Plain>): Declarations {
  scratch.cssText =
    typeof declarations === "string"
      ? declarations
      : // Names as CSS or as scripts write them.
        Object.entries(declarations)
          .map(([name, value]) => name.replace(/[A-Z]/g, "-$&") + ":" + value)
          .join(";");
  const found = [
    ...scratch.cssText.matchAll(/([^\s:;]+): ((?:"(?:\\.|[^"])*"|[^;"])*?)(?: !important)?;/g),
  ] as unknown as [string, string, string][];
  const names = found.flatMap(([, name, value]) => {
    scratch.cssText = "";
    scratch.setProperty(name, value);
    // With a variable in it, a shorthand cannot be taken apart.
    return scratch.getPropertyValue(scratch[0] as string) ? [...scratch] : [name];
  });
  return { set: found.map(([, name, value]) => [name, value]), names };
}

/** More ids than style sheets of pages have in a selector: of ours, all are as strong, and the later ones win. */
const STRONG = "#_".repeat(9) + ":not(*)";

/**
 * A style rule that makes the declarations true for all that matches, however many those are; nothing where it cannot be written so: with
 * selectors that lead through shadow roots or are closed by their end alone.
 */
export function ruleOf(selector: string, declarations: string | Record<string, Plain>): string | undefined {
  const text = declared(declarations).set.map(([name, value]) => `${name}:${value}!important`);
  const css = `:is(${selector},${STRONG}){${text.join(";")}}`;
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    const [rule, more] = sheet.cssRules as unknown as CSSStyleRule[];
    if (rule!.style.length && !more && !selector.includes(">>>")) return css;
  } catch {
    // Without constructed sheets, or such a rule, each element is changed.
  }
}

/**
 * Settles what is declared of an element: of all edits, the later ones over the earlier.
 *
 * The whole attribute is compared, as a text: to read property by property what has not changed takes too long.
 */
export function styleSlot(style: CSSStyleDeclaration): Settle<Declarations> {
  /** What the page wants for the properties that we set. */
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
    const names = edits.flatMap(({ value }) => value.names);
    for (const name of [...ours, ...names]) {
      const is: Value = now ? read(style, name) : ["", ""];
      // What is not as we left it is as the page wants it.
      const isOurs = ours.includes(name);
      if (!isOurs || `${is}` !== `${read(scratch, name)}`) {
        own[name] = is;
        rewritten ||= isOurs;
      }
    }
    ours.forEach((name) => style.setProperty(name, ...own[name]!));
    edits.forEach(({ value }) => value.set.forEach(([name, wanted]) => style.setProperty(name, wanted, "important")));
    ours = names;
    text = style.cssText;
    return rewritten;
  };
}
