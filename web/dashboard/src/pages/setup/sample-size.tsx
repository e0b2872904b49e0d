// Visitors and days that the experiment needs. The server computes them from its data, or from assumptions that are
// made here.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { query, type Schemas } from "~/api/query";
import { FormNumber } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { count, decimal, integer, percentage } from "~/lib/format";
import { Card, Note } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { useExperiment } from "~/experiment/open";
import { LONG_DAYS } from "~/experiment/findable";

type Plan = Schemas["PlanAnswer"];

/** Assumptions that replace the server's data. Null means the server's value. */
export interface Assumed {
  daily_visitors: number | null;
  baseline_rate: number | null;
}

/** Usual horizons of plans, in days. */
const DAYS = [7, 14, 21, 28, 42, 56, 90];

export function SampleSize({ assumed, assume }: { assumed: Assumed; assume: (assumed: Assumed) => void }) {
  const { projectKey, experiment } = useExperiment();
  const plan = useQuery({
    ...query("/v2/project/{project_key}/experiment/{test_id}/plan", {
      path: { project_key: projectKey, test_id: experiment.test_id },
      query: {
        ...(assumed.daily_visitors !== null && { daily_visitors: assumed.daily_visitors }),
        ...(assumed.baseline_rate !== null && { baseline_rate: assumed.baseline_rate }),
      },
    }),
    // While another question is in flight, the previous answer stays.
    placeholderData: (before) => before,
  });
  return (
    <Card
      title="How long it takes"
      about="Computed for one check at the end. A larger lift shows sooner; intervals are tuned for the planned number of visitors."
    >
      <div className="flex flex-col gap-4">
        <Loaded query={plan}>{(answer) => <PlanShown plan={answer} />}</Loaded>
        <AssumeForm isNeeded={plan.data?.note != null} assumed={assumed} assume={assume} />
      </div>
    </Card>
  );
}

const FROM: Record<string, string> = {
  query: "as entered",
  experiment: "as in this experiment so far",
  project: "as in the project's last two weeks",
};

function PlanShown({ plan }: { plan: Plan }) {
  const { visitors_needed, days, daily_visitors, baseline_rate, note } = plan;
  const aim = `a lift of ${percentage(plan.mde)} in ${decimal(plan.power)} of 100 cases`;
  return (
    <>
      {visitors_needed !== null && days !== null && days > LONG_DAYS && (
        <Note tone="caution">
          This takes longer than {LONG_DAYS} days, and few teams wait that long. Plan for a larger lift under Goals, or
          let more visitors enter.
        </Note>
      )}
      {visitors_needed !== null && (
        <p className="text-lg">
          To find {aim}, the experiment needs <b className="font-semibold">{count(visitors_needed, "visitor")}</b>
          {days !== null && (
            <>
              , which takes <b className="font-semibold">{count(days, "day")}</b>
            </>
          )}
          .
        </p>
      )}
      {note !== null && <Note tone="caution">{noteInWords(note)}</Note>}
      {(daily_visitors !== null || baseline_rate !== null) && (
        <ul className="flex flex-col gap-0.5 text-soft">
          {daily_visitors !== null && (
            <li>
              {decimal(daily_visitors, 1)} visitors a day, {FROM[plan.daily_visitors_from ?? ""]}
            </li>
          )}
          {baseline_rate !== null && (
            <li>
              {percentage(baseline_rate)} of the control's visitors convert, {FROM[plan.baseline_rate_from ?? ""]}
            </li>
          )}
        </ul>
      )}
      <Forecast rows={plan.mde_by_day} />
    </>
  );
}

/** The server's sentence, with the labels of this page for its parameters. */
export function noteInWords(note: string): string {
  return note
    .replaceAll("give baseline_rate", "enter the conversion rate below")
    .replaceAll("give daily_visitors", "enter the visitors a day below")
    .replaceAll("baseline_rate", "the conversion rate")
    .replaceAll("daily_visitors", "the visitors a day");
}

function Forecast({ rows }: { rows: Plan["mde_by_day"] }) {
  const shown = rows.filter(({ day, mde }) => DAYS.includes(day) && mde !== null);
  if (shown.length === 0) return null;
  return (
    <table className="w-full max-w-110 text-left">
      <caption className="pb-1 text-left font-medium">Lifts that can be found over time</caption>
      <thead>
        <tr className="border-b border-line text-sm text-soft">
          <th scope="col" className="py-1 pr-4 font-medium">
            After
          </th>
          <th scope="col" className="py-1 pr-4 text-right font-medium">
            Visitors
          </th>
          <th scope="col" className="py-1 text-right font-medium">
            Lifts from
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ day, visitors, mde }) => (
          <tr key={day} className="border-b border-line last:border-0">
            <td className="num py-1 pr-4">{count(day, "day")}</td>
            <td className="num py-1 pr-4 text-right">{integer(visitors)}</td>
            <td className="num py-1 text-right">{mde !== null && `${decimal(mde, 1)} %`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface AssumeProps {
  /** True when the server has too little data of its own. */
  isNeeded: boolean;
  assumed: Assumed;
  assume: (assumed: Assumed) => void;
}

function AssumeForm({ isNeeded, assumed, assume }: AssumeProps) {
  const [isOpen, setOpen] = useState<boolean>();
  const form = useForm<Assumed>({
    stored: assumed,
    submit: async (values) => assume(values),
  });
  return (
    <details open={isOpen ?? isNeeded} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit font-medium text-accent">Calculate with other numbers</summary>
      <FormView form={form} act="Calculate" isPlain className="mt-3 flex flex-col gap-3">
        <div className="grid gap-4 sm:grid-cols-2">
          <FormNumber
            form={form}
            name="daily_visitors"
            label="Visitors a day"
            hint="Visitors who would take part. Leave it empty for the server's number."
            min={1}
            step="any"
          />
          <FormNumber
            form={form}
            name="baseline_rate"
            label="Conversion rate, in percent"
            hint="Of the original page. Leave it empty for the server's number."
            min={0}
            max={100}
            step="any"
          />
        </div>
      </FormView>
    </details>
  );
}
