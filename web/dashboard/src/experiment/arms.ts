// Variants of an experiment, with their keys in the weights.

import { percentage } from "~/lib/format";
import type { Experiment } from "./open";

export interface Arm {
  variantId: string;
  /** `Control`, `Variant 1`…: the key in the weights. */
  name: string;
  /** Name that the team chose; may be empty. */
  nickname: string;
}

export function armsOf({ control, variants }: Experiment): Arm[] {
  return [{ name: "Control", nickname: control.nickname }, ...variants].map(({ name, nickname }, at) => ({
    variantId: String(at),
    name,
    nickname,
  }));
}

/** Weights in words: `Control 50 %, Variant 1 50 %`. */
export function weightsInWords(weights: Record<string, number>): string {
  return Object.entries(weights)
    .map(([name, weight]) => `${name} ${percentage(weight)}`)
    .join(", ");
}
