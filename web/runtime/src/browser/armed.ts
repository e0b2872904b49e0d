// An experiment with the arm that its visitor gets.

import { armName } from "../assign/decide";
import type { ArmCode, Experiment } from "../ruleset";

export interface Armed {
  experiment: Experiment;
  arm: number;
  /** The variant, or the control where it has code of its own. */
  version: ArmCode | undefined;
  /** Whether the visitor takes part, and is to be counted. */
  counted: boolean;
  /** Whether the visitor has met it: it is shown, and due. */
  isMet?: boolean;
  /** Whether that was told of: the first time in this visit. */
  isFirst?: boolean;
}

/** As page code and listeners see it. */
export const named = ({ experiment: { test_id, experiment_key }, arm }: Armed) => ({ test_id, experiment_key, variant: armName(arm) });

/** As events name it. */
export const numbered = ({ experiment: { test_id }, arm }: Armed) => ({ test_id, variant_id: `${arm}` });
