// Notes above the numbers of a result.

import { dayIn } from "~/lib/day-in";
import { date, day } from "~/lib/format";
import { Note } from "~/ui/layout";
import { askedOf, isPart, type Result } from "./reading";

/** Notes that affect how all numbers below are read. */
export function ToKnow({ result }: { result: Result }) {
  const asked = askedOf(result);
  // The advice below names a day for the filter by days, so it uses the time zone of the filter, not of the browser.
  const dayOf = dayIn(asked.tz);
  const redefined = result.variants.filter(({ redefined_at: at }) => at !== null);
  return (
    <>
      {isPart(asked) && (
        <Note tone="caution">
          These are some of the visitors, chosen by whoever looks. Somebody who looks at many segments finds something
          in one of them by chance. Take it as an idea for the next experiment: the verdict is that of all visitors.
        </Note>
      )}
      {(asked.deployedAt !== undefined || result.serving_variant_id !== null) &&
        result.report_phase === "pre_deploy" && (
          <Note>
            A winner is served{asked.deployedAt && ` since ${date(asked.deployedAt)}`}. This is the result of the
            visitors who entered before.
          </Note>
        )}
      {asked.testType === "personalization" && (
        <Note tone="caution">
          Each variant has an audience of its own. A difference between audiences is not an effect of the variant.
        </Note>
      )}
      {redefined.map(({ variant_id: id, name, redefined_at: at }) => (
        <Note key={id} tone="caution">
          {name} was redefined on {at && day(dayOf(at))}: what it is now differs from what it was. Its numbers mix both.
          To read what it is now, choose visitors who entered from the day after on.
        </Note>
      ))}
    </>
  );
}
