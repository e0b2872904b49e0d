// Days and visitors compared with the plan.

import type { Schemas } from "~/api/query";
import { count, dayRange, integer, percentage } from "~/lib/format";
import { Card } from "~/ui/layout";
import { askedOf, isPlanned, type Result } from "../reading";

type Plan = Schemas["PlanAnswer"];

interface ProgressProps {
  result: Result;
  /** Current plan, if it is known. */
  plan?: Plan | undefined;
  /** Sentences on the rules that end the experiment. */
  ending?: string[];
  /** Whole days since the start, as in the list of experiments; undefined if unknown. */
  wholeDays?: number | null | undefined;
}

export function ProgressCard({ result, plan, ending = [], wholeDays }: ProgressProps) {
  const asked = askedOf(result);
  const narrow = !isPlanned(asked);
  const planned = result.plan?.planned_visitors ?? asked.plannedVisitors;
  return (
    <Card title="Days and visitors">
      <div className="flex flex-col gap-3">
        <div className="grid grid-cols-2 gap-x-6 gap-y-3">
          <Figure name={narrow ? "Selected visitors" : "Visitors"} value={integer(result.total_visitors)}>
            {!narrow && planned !== undefined && <>of {integer(planned)} planned</>}
          </Figure>
          <Figure name="Days" value={integer((narrow ? null : wholeDays) ?? result.days_running)}>
            {result.start_date !== null && dayRange(result.start_date, result.end_date)}
          </Figure>
        </div>
        {!narrow && planned !== undefined && <Bar done={result.total_visitors} whole={planned} />}
        {!narrow && plan && isOpen(result) && <Finds plan={plan} days={result.days_running} />}
        {ending.map((sentence) => (
          <p key={sentence} className="text-sm text-soft">
            {sentence}
          </p>
        ))}
      </div>
    </Card>
  );
}

/** Returns whether a verdict is still missing. */
function isOpen({ status_code: status, variants }: Result): boolean {
  return status === 1 && variants.some(({ analysis }) => analysis?.verdict === "keep_running");
}

/** A longer plan is shown as "more than two years". */
const LONG_DAYS = 730;
/** Usual horizons of plans, in days. */
const LATER = [14, 28, 56, 90];

/** Smallest lift that can be found now and later, and the duration until the smallest relevant one is found. */
function Finds({ plan, days }: { plan: Plan; days: number }) {
  const at = (day: number | undefined) => plan.mde_by_day.find((one) => one.day === day)?.mde;
  const [now, later] = [days, LATER.find((one) => one > days)];
  const { visitors_needed: needed, days: whole } = plan;
  return (
    <ul className="flex flex-col gap-1 text-sm text-soft">
      {at(now) != null && (
        <li>
          It can now find lifts of about {percentage(round(at(now)))} or more
          {at(later) != null && (
            <>
              , by day {later} of about {percentage(round(at(later)))} or more
            </>
          )}
          .
        </li>
      )}
      {needed !== null && whole !== null && (
        <li>
          To find the smallest lift worth acting on, {percentage(plan.mde)}, takes{" "}
          {whole > LONG_DAYS ? "more than two years" : `about ${count(whole, "day")}`}.
        </li>
      )}
    </ul>
  );
}

/** Rounds a forecast, which is rough. */
function round(value: number | null | undefined): number | null {
  return value == null ? null : value < 10 ? Number(value.toFixed(1)) : Math.round(value);
}

function Figure({ name, value, children }: { name: string; value: string; children: React.ReactNode }) {
  return (
    <div>
      <div className="text-sm text-soft">{name}</div>
      <div className="num text-xl font-medium">{value}</div>
      <div className="text-sm text-soft">{children}</div>
    </div>
  );
}

/** Progress bar. It is full when the plan is exceeded. */
function Bar({ done, whole }: { done: number; whole: number }) {
  const share = Math.min(1, done / Math.max(1, whole));
  return (
    <div aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-sunken">
      <div className="h-full rounded-full bg-accent-fill" style={{ width: `${share * 100}%` }} />
    </div>
  );
}
