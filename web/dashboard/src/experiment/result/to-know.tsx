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
          These are some of the visitors, not all. If you check many segments, one of them stands out by chance. Use it
          as an idea for the next experiment, and decide by the verdict of all visitors.
        </Note>
      )}
      {(asked.deployedAt !== undefined || result.serving_variant_id !== null) &&
        result.report_phase === "pre_deploy" && (
          <Note>
            A winner is served{asked.deployedAt && ` (since ${date(asked.deployedAt)})`}. This is the result of the
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
          {name} was redefined on {at && day(dayOf(at))}. Its numbers mix the earlier and the current version. To see
          only the current one, choose visitors who entered after that day.
        </Note>
      ))}
    </>
  );
}
