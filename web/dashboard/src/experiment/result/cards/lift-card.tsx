// Lift of each variant with its interval.

import type { Schemas } from "~/api/query";
import { liftEnds } from "~/lib/lift-ends";
import { own } from "~/lib/own";
import type { Tone } from "~/lib/words";
import { HowToRead } from "~/ui/how-to-read";
import { IntervalPlot, type IntervalRow } from "~/ui/interval-plot";
import { Card, Note } from "~/ui/layout";
import { verdictWord } from "../lift";
import { askedOf, goalName, type Result } from "../reading";

export function LiftHelp({ confidence }: { confidence: number }) {
  return (
    <>
      <p>
        The dot is a variant's <b className="font-semibold">lift</b>: how much higher or lower its result is than the
        control's, in percent of the control's. The line is its <b className="font-semibold">interval</b>, which
        contains the true lift at {confidence} % confidence.
      </p>
      <ul className="flex list-disc flex-col gap-1 pl-5">
        <li>The whole line is right of zero: the result of the variant is higher.</li>
        <li>The whole line is left of zero: it is lower.</li>
        <li>The line includes zero: better and worse are both possible. More visitors make it shorter.</li>
      </ul>
      <p>
        You may read it on any day, and stop when you like: at most {100 - confidence} in 100 experiments ever have a
        day on which the line misses the true lift. That is why it is longer than in tools that allow only one look.
      </p>
    </>
  );
}

export function LiftCard({ result }: { result: Result }) {
  const { confidence_threshold_percent: confidence, variants } = result;
  return (
    <Card
      title="Lift compared with the control"
      about={`The interval of the true lift of each variant, at ${confidence} % confidence.`}
    >
      <div className="flex flex-col gap-4">
        {variants.some(({ analysis }) => analysis?.verdict === "do_not_trust") && (
          <Note tone="bad">Do not trust the numbers of this picture: check the health first.</Note>
        )}
        <IntervalPlot
          label="Lift of each variant"
          rows={rowsOf(result)}
          unit="%"
          estimateName="Lift"
          sides={["Worse than the control", "Better"]}
          of={`${result.test_name}: ${goalName(result) ?? ""}`}
          asOf={askedOf(result).asOf ?? null}
        />
        <HowToRead>
          <LiftHelp confidence={confidence} />
        </HowToRead>
      </div>
    </Card>
  );
}

/** Tones of verdicts that are conclusions. The others have none. */
const TONES: Partial<Record<Schemas["VerdictWord"], Tone>> = { win: "good", loss: "bad", no_difference: "neutral" };

function rowsOf({ variants, status_code: status }: Result): IntervalRow[] {
  return variants
    .filter(({ is_control: isControl }) => !isControl)
    .map(({ variant_id: id, name, nickname, analysis }) => {
      const [low, high] = liftEnds(analysis?.lift_interval) ?? [null, null];
      const verdict = analysis?.verdict ?? "keep_running";
      return {
        key: id,
        name: nickname === "" ? name : `${name}: ${nickname}`,
        estimate: analysis?.lift ?? null,
        low,
        high,
        note: verdictWord(verdict, status === 1).text,
        tone: own(TONES, verdict),
      };
    });
}
