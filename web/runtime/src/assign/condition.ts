// Operators and what they compare: docs/assignment.md, Operators.

import type { Plain } from "../ruleset";
import { folded } from "./text";
import { type Tri, UNKNOWN } from "./tri";
import { DAY_MS, type Fact } from "./visitor";

export const same = (left: string, right: string): boolean => folded(left) === folded(right);

/**
 * The number that a value reads as, or NaN, with which no comparison holds. `Number` alone also takes `0x10`, the
 * empty text and other blanks.
 */
export function numberOf(value: Plain): number {
  const form = /^[\t\n\f\r ]*[\d.+-][\de.+-]*[\t\n\f\r ]*$/i;
  const number = typeof value === "number" || form.test(value as string) ? +value : NaN;
  return isFinite(number) ? number : NaN;
}

/** A value as text. What JavaScript writes with an exponent has the empty text. */
export const textOf = (value: Plain): string => (typeof value === "number" && /e/.test(`${value}`) ? "" : `${value}`);

/** Milliseconds since 1970 of a date, or NaN. `Date.parse` gets the one form that it takes in every engine. */
export function isoMs(text: string): number {
  const form =
    /^(\d{4}-(?:0[1-9]|1[0-2])-(\d\d))(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(?:(:[0-5]\d)(\.\d{1,9})?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;
  const [, date, day, time = "00:00", second = ":00", fraction = ".", zone = "Z"] = form.exec(text) ?? [];
  // A day that its month has not is another day by now, or none.
  return new Date(date!).getUTCDate() === +day!
    ? Date.parse(`${date}T${time + second + (fraction + "000").slice(0, 4) + zone}`)
    : NaN;
}

/** The moment that a value names, in milliseconds since 1970, or NaN. Small numbers are seconds. */
function momentOf(value: Plain): number {
  const number = numberOf(value);
  return isNaN(number) ? isoMs(value as string) : Math.floor(Math.abs(number) < 1e11 ? number * 1e3 : number);
}

function equals(left: Plain, value: Plain): boolean {
  const difference = typeof left === "number" || typeof value === "number" ? numberOf(left) - numberOf(value) : NaN;
  return isNaN(difference) ? same(textOf(left), textOf(value)) : !difference;
}

/**
 * Whether an operator holds for what the visitor has, `left`.
 *
 * Operators come from a checked ruleset: what is none of the others compares numbers.
 */
export function holds(operator: string, value: Plain | null | undefined, left: Fact<Plain>, now: number): Tri {
  if (left === undefined) return UNKNOWN;
  // `nx`, `!=` and `!*` say the opposite of the ones beside them, and hold where there is nothing.
  return +(/^[n!]/.test(operator) !== (left !== null && affirms(operator, value as Plain, left, now)));
}

function affirms(operator: string, value: Plain, left: Plain, now: number): boolean {
  // Told apart by what none of the others has: `ex` and `nx`, `**` and `!*`, `bt` and `bf`, `==` and `!=`.
  if (/x/.test(operator)) return true;
  if (/\*/.test(operator)) return folded(textOf(left)).includes(folded(textOf(value)));
  if (/^b/.test(operator)) return (operator === "bt" ? /^(1|true)$/i : /^(0|false)$/i).test(textOf(left));
  if (/^[=!]/.test(operator)) return equals(left, value);
  // What is left is `>`, `gt`, `days_gt` and the like: greater has a `g` or `>`, and what holds for equals ends with
  // `e` or `=`.
  const days = /^d/.test(operator);
  const [one, other] = days ? [now - momentOf(left), numberOf(value) * DAY_MS] : [numberOf(left), numberOf(value)];
  return (/[g>]/.test(operator) ? one > other : one < other) || (/[e=]$/.test(operator) && one === other);
}
