// Exposures: the visitor has met an arm, and from then on counts for it.

import { type Armed, numbered } from "./armed";
import type { Identity } from "./identity";
import { record } from "./recorder";
import { here } from "./world";

/** Records that the visitor has met the arm: once in a visit and epoch. */
export function expose(armed: Armed, { session, met }: Identity): void {
  const { _experiment: experiment, _arm: arm } = armed;
  const { test_id, epoch } = experiment;
  const mark = [test_id, arm, epoch].join(".");
  if (session.told.includes(mark)) return;
  session.told.push(mark);
  met.set(test_id, arm);
  armed._isFirst = true;
  record(
    {
      type: "exposure",
      ...numbered(armed),
      epoch,
      context: { url: here(), referrer: session.from, landing_page: session.land, visitor_type: session.type },
    },
    true,
  );
}
