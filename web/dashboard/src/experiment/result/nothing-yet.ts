// Detects the parts of a result that have nothing to show yet: on the first day most of them have no number.

import type { Metric, Result } from "./reading";

/** True when no variant has a lift. */
export function hasNoLift({ variants }: Pick<Result, "variants">): boolean {
  return variants.every(({ analysis }) => analysis?.lift == null);
}

/** True when none of these metrics has a lift or a conversion. */
export function hasNoNumbers(metrics: readonly Metric[]): boolean {
  return metrics.every(({ variants }) =>
    variants.every(({ analysis, conversions }) => analysis?.lift == null && conversions === 0),
  );
}

/** True when no variant has Bayesian values. */
export function hasNoBelief({ variants }: Pick<Result, "variants">): boolean {
  return variants.every(({ analysis }) => analysis?.chance_to_beat_control == null && analysis?.expected_loss == null);
}

/** True when no page has reported its health, and nothing was found. */
export function hasNoPages({ page_health: arms }: Pick<Result, "page_health">): boolean {
  return arms.every(
    ({ errors, late, lcp_ms, layout_shift, inp_ms, changes, message }) =>
      message === "" &&
      errors.visitors === 0 &&
      late.visitors === 0 &&
      [lcp_ms, layout_shift, inp_ms].every(({ mean }) => mean === null) &&
      changes.length === 0,
  );
}
