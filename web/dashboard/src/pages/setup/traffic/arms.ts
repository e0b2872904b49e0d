// The arms of an experiment by the names that weights have for them.

import { percentage } from "~/lib/format";
import type { Experiment } from "../../experiment/open";

export interface Arm {
  variantId: string;
  /** `Control`, `Variant 1`…: what weights name it by. */
  name: string;
  /** What the team calls it; may be empty. */
  nickname: string;
}

export function armsOf({ control, variants }: Experiment): Arm[] {
  return [{ name: "Control", nickname: control.nickname }, ...variants].map(({ name, nickname }, at) => ({
    variantId: String(at),
    name,
    nickname,
  }));
}

/** Such as `Control 50 %, Variant 1 50 %`. */
export function weightsInWords(weights: Record<string, number>): string {
  return Object.entries(weights)
    .map(([name, weight]) => `${name} ${percentage(weight)}`)
    .join(", ");
}
