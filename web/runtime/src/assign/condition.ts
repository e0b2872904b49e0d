// Operators of conditions: docs/assignment.md, Operators.

import type { Scalar } from "../ruleset";
import { asciiLowercase } from "./text";
import { type Tri, UNKNOWN } from "./tri";
import { DAY_MS, type Fact } from "./visitor";

export const same = (left: string, right: string): boolean => asciiLowercase(left) === asciiLowercase(right);

/**
 * Parses a value as a number, or gives NaN, with which no comparison holds. `Number` alone would also accept `0x10`, the
 * empty string and other white space.
 */
export function numberOf(value: Scalar): number {
  const form = /^[\t\n\f\r ]*[\d.+-][\de.+-]*[\t\n\f\r ]*$/i;
  const number = typeof value === "number" || form.test(value as string) ? +value : NaN;
  return isFinite(number) ? number : NaN;
}

/** Converts a value to text. Numbers that JavaScript writes with an exponent become the empty string. */
export const textOf = (value: Scalar): string => (typeof value === "number" && /e/.test(`${value}`) ? "" : `${value}`);

/** Parses a date as milliseconds since 1970, or NaN. `Date.parse` gets the one form that every engine accepts. */
export function isoMs(text: string): number {
  const form =
    /^(\d{4}-(?:0[1-9]|1[0-2])-(\d\d))(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(?:(:[0-5]\d)(\.\d{1,9})?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;
  const [, date, day, time = "00:00", second = ":00", fraction = ".", zone = "Z"] = form.exec(text) ?? [];
  // A day that the month does not have was normalised to another day, or to none.
  return new Date(date!).getUTCDate() === +day!
    ? Date.parse(`${date}T${time + second + (fraction + "000").slice(0, 4) + zone}`)
    : NaN;
}

/** Parses a point in time as milliseconds since 1970, or NaN. Small numbers are seconds. */
function momentOf(value: Scalar): number {
  const number = numberOf(value);
  return isNaN(number) ? isoMs(value as string) : Math.floor(Math.abs(number) < 1e11 ? number * 1e3 : number);
}

function equals(left: Scalar, value: Scalar): boolean {
  const difference = typeof left === "number" || typeof value === "number" ? numberOf(left) - numberOf(value) : NaN;
  return isNaN(difference) ? same(textOf(left), textOf(value)) : !difference;
}

/**
 * Evaluates an operator for the visitor's value, `left`.
 *
 * Operators come from a validated ruleset: an operator that is not one of the others compares numbers.
 */
export function holds(operator: string, value: Scalar | null | undefined, left: Fact<Scalar>, now: number): Tri {
  if (left === undefined) return UNKNOWN;
  // `nx`, `!=` and `!*` negate `ex`, `==` and `**`, and hold when there is no value.
  return +(/^[n!]/.test(operator) !== (left !== null && affirms(operator, value as Scalar, left, now)));
}

function affirms(operator: string, value: Scalar, left: Scalar, now: number): boolean {
  // Each pair is recognised by characters that no other operator has: `ex` and `nx`, `**` and `!*`, `bt` and `bf`, `==` and `!=`.
  if (/x/.test(operator)) return true;
  if (/\*/.test(operator)) return asciiLowercase(textOf(left)).includes(asciiLowercase(textOf(value)));
  if (/^b/.test(operator)) return (operator === "bt" ? /^(1|true)$/i : /^(0|false)$/i).test(textOf(left));
  if (/^[=!]/.test(operator)) return equals(left, value);
  // The rest are `>`, `gt`, `days_gt` and the like: greater-than has a `g` or `>`, and operators that include equality end
  // with `e` or `=`.
  const days = /^d/.test(operator);
  const [one, other] = days ? [now - momentOf(left), numberOf(value) * DAY_MS] : [numberOf(left), numberOf(value)];
  return (/[g>]/.test(operator) ? one > other : one < other) || (/[e=]$/.test(operator) && one === other);
}
