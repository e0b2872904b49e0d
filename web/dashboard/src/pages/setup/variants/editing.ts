import type { Form } from "~/ui/form/form";
import type { ArmId, Variant, VariantFields } from "./arms";
import type { Findings } from "./findings";

/** Form of the step, with data that its parts need. */
export interface Editing {
  form: Form<VariantFields>;
  findings: Findings;
  open: ArmId;
  openArm: (arm: ArmId) => void;
  /** Changes the newest list of variants. */
  setVariants: (change: (variants: Variant[]) => Variant[]) => void;
  /** True when the user may change code. */
  mayCode: boolean;
  isLocked: boolean;
  /** Increases when the variants are renumbered: editors are then created again. */
  generation: number;
  renumbered: () => void;
  /** True when visual changes are shown as JSON. */
  isJson: boolean;
}

/** Error of a field: from the current check by the server, else from the refused save. */
export function errorOf({ form, findings }: Editing, field: string): string | undefined {
  return findings.errorOf(field) ?? form.errorOf(field);
}
