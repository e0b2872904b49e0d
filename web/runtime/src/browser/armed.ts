// An experiment with the arm that the visitor is assigned.

import { armName } from "../assign/decide";
import type { ArmCode, Experiment } from "../ruleset";

export interface AssignedArm {
  _experiment: Experiment;
  _arm: number;
  /** The variant, or the control if that has code. */
  _version: ArmCode | undefined;
  /** True when the visitor takes part in the experiment and is counted. */
  _counted: boolean;
  /** True when the visitor was exposed to the arm on this page. */
  _isMet?: boolean;
  /** True when the exposure was the first in this session, and so was recorded. */
  _isFirst?: boolean;
}

/** The arm as page code and listeners get it. */
export const armDetail = ({ _experiment: { test_id, experiment_key }, _arm: arm }: AssignedArm) => ({
  test_id,
  experiment_key,
  variant: armName(arm),
});

/** The fields that identify the arm in events. */
export const armFields = ({ _experiment: { test_id }, _arm: arm }: AssignedArm) => ({ test_id, variant_id: `${arm}` });
