// Variants of an experiment in this step: adding, removing, and merging with changes by others.

import type { Schemas } from "~/api/query";
import { count } from "~/lib/format";

export type Variant = Schemas["Variant"];
export type Control = Schemas["Control"];

/** Fields of the experiment that this step edits. */
export interface VariantFields {
  control: Control;
  /** Variants without the control, `Variant 1` first. */
  variants: Variant[];
  custom_css: string;
  custom_js: string;
  /** JSON text that cannot be parsed yet, by field. It is kept like the other values, and never sent. */
  unreadable: Record<string, string>;
}

export const LABELS: Record<keyof VariantFields, string> = {
  control: "Control",
  variants: "Variants",
  custom_css: "CSS for every visitor",
  custom_js: "JavaScript for every visitor",
  unreadable: "Text that is not valid JSON",
};

/** The open part: the common code, the control (0), or the variant with this number. */
export type ArmId = "all" | number;

export const VARIANTS_MAX = 50;

/** The open part in the address, if it exists. */
export function armIn(text: string | undefined, variants: readonly Variant[]): ArmId {
  if (text === "all") return "all";
  const number = Number(text ?? 1);
  return Number.isInteger(number) && number >= 0 && number <= variants.length ? number : Math.min(1, variants.length);
}

export function nameOf(arm: ArmId): string {
  return arm === "all" ? "Shared code" : arm === 0 ? "Control" : `Variant ${arm}`;
}

/** Field of the API for a part. */
export function fieldOf(arm: ArmId): string | undefined {
  return arm === "all" ? undefined : arm === 0 ? "control" : `variants[${arm - 1}]`;
}

/** Names the variants by their positions. */
function named(variants: Omit<Variant, "name">[]): Variant[] {
  return variants.map((variant, at) => ({ ...variant, name: `Variant ${at + 1}` }));
}

export function withNew(variants: readonly Variant[]): Variant[] {
  return named([...variants, { nickname: "", customJS: "", customCSS: "", data: [] }]);
}

/** Adds a copy of a variant at the end: in the middle, it would rename the variants after it. */
export function withCopy(variants: readonly Variant[], at: number): Variant[] {
  const original = variants[at];
  return original === undefined ? [...variants] : named([...variants, structuredClone(original)]);
}

export function without(variants: readonly Variant[], at: number): Variant[] {
  return named(variants.filter((_, other) => other !== at));
}

/** Content of a variant, in a few words. */
export function contentsOf(css: string, js: string, changes = 0): string {
  const parts = [
    changes > 0 && count(changes, "visual change"),
    css.trim() !== "" && "CSS",
    js.trim() !== "" && "JavaScript",
  ].filter(Boolean);
  return parts.join(", ");
}

const PARTS: Record<string, string> = {
  nickname: "label",
  customCSS: "CSS",
  customJS: "JavaScript",
  data: "visual changes",
  targeting: "audience",
};

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Keys whose values differ between two variants. */
function differing(a: object, b: object): string[] {
  const [one, other] = [entries(a), entries(b)];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((key) => !same(one[key], other[key]));
}

/** Changes between two versions, in words for a choice between them: "Variant 1: CSS; Variant 3 is new". */
export function differences(before: readonly Variant[], after: readonly Variant[]): string {
  const changed = after.flatMap((variant, at) => {
    const was = before[at];
    if (was === undefined) return [`Variant ${at + 1} is new`];
    const parts = differing(was, variant).map((key) => PARTS[key] ?? key);
    return parts.length > 0 ? [`Variant ${at + 1}: ${parts.join(", ")}`] : [];
  });
  const gone = before.slice(after.length).map((_, at) => `Variant ${after.length + at + 1} was removed`);
  return [...changed, ...gone].join("; ") || "nothing";
}

/**
 * Merges two versions that have changed different parts since `base`. Undefined if they conflict about a part, or if
 * variants were removed, because the others have moved then.
 */
export function merged(
  base: readonly Variant[],
  theirs: readonly Variant[],
  mine: readonly Variant[],
): Variant[] | undefined {
  if (theirs.length < base.length || mine.length < base.length) return undefined;
  if (theirs.length > base.length && mine.length > base.length) return undefined;
  const both: Variant[] = [];
  for (let at = 0; at < Math.max(theirs.length, mine.length); at += 1) {
    const [was, their, my] = [base[at], theirs[at], mine[at]];
    const arm = was && their && my ? mergedParts(was, their, my) : (their ?? my);
    if (arm === undefined) return undefined;
    both.push(arm);
  }
  return named(both);
}

/** Like `merged`, for the parts of one variant. */
export function mergedParts<A extends object>(base: A, theirs: A, mine: A): A | undefined {
  const [was, their, my] = [entries(base), entries(theirs), entries(mine)];
  const both: Record<string, unknown> = { ...their };
  for (const key of differing(base, mine)) {
    if (!same(was[key], their[key]) && !same(their[key], my[key])) return undefined;
    both[key] = my[key];
  }
  return both as A;
}

function entries(arm: object): Record<string, unknown> {
  return arm as Record<string, unknown>;
}
