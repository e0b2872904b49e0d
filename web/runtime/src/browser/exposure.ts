// Exposures. From the first exposure on, the visitor counts for the arm.

import { type AssignedArm, armFields } from "./armed";
import type { Identity } from "./identity";
import { record } from "./recorder";
import { pageUrl } from "./world";

/** Records the exposure to an arm, once per session and epoch. */
export function expose(armed: AssignedArm, { _session: session, _met: met }: Identity): void {
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
      ...armFields(armed),
      epoch,
      context: { url: pageUrl(), referrer: session.from, landing_page: session.land, visitor_type: session.type },
    },
    true,
  );
}
