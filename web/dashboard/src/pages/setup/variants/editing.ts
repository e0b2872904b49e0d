import type { Form } from "~/lib/form";
import type { ArmId, Variant, VariantFields } from "./arms";
import type { Findings } from "./findings";

/** The form of the step, with what its parts need to know. */
export interface Editing {
  form: Form<VariantFields>;
  findings: Findings;
  open: ArmId;
  openArm: (arm: ArmId) => void;
  /** Changes the newest list of treatments. */
  setVariants: (change: (variants: Variant[]) => Variant[]) => void;
  /** Whether who is signed in may change code. */
  mayCode: boolean;
  isLocked: boolean;
  /** Counts changes of what numbers stand for: editors begin anew then. */
  generation: number;
  renumbered: () => void;
  /** Whether visual changes are shown as JSON. */
  isJson: boolean;
}

/** What is wrong with a field: as the server sees it now, else as it refused it. */
export function errorOf({ form, findings }: Editing, field: string): string | undefined {
  return findings.errorOf(field) ?? form.errorOf(field);
}
