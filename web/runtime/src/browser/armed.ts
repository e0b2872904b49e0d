// An experiment with the arm that its visitor gets.

import { armName } from "../assign/decide";
import type { ArmCode, Experiment } from "../ruleset";

export interface Armed {
  _experiment: Experiment;
  _arm: number;
  /** The variant, or the control where it has code of its own. */
  _version: ArmCode | undefined;
  /** Whether the visitor takes part, and is to be counted. */
  _counted: boolean;
  /** Whether the visitor has met it: it is shown, and due. */
  _isMet?: boolean;
  /** Whether that was told of: the first time in this visit. */
  _isFirst?: boolean;
}

/** As page code and listeners see it. */
export const named = ({ _experiment: { test_id, experiment_key }, _arm: arm }: Armed) => ({
  test_id,
  experiment_key,
  variant: armName(arm),
});

/** As events name it. */
export const numbered = ({ _experiment: { test_id }, _arm: arm }: Armed) => ({ test_id, variant_id: `${arm}` });
