// An experiment with the arm that its visitor gets.

import { armName } from "../assign/decide";
import type { Experiment } from "../ruleset";

export interface Armed {
  experiment: Experiment;
  arm: number;
  /** Whether the visitor takes part, and is to be counted. */
  counted: boolean;
}

/** As page code and listeners see it. */
export const named = ({ experiment: { test_id, experiment_key }, arm }: Armed) => ({ test_id, experiment_key, variant: armName(arm) });
