// Shown while a result has no numbers: what will come, how long it takes by the plan, and what to check if no visitors
// enter.

import type { ReactNode } from "react";
import { count, decimal, percentage } from "~/lib/format";
import { Card, Empty } from "~/ui/layout";
import type { Schemas } from "~/api/query";
import { LONG_DAYS } from "~/experiment/findable";

type Plan = Schemas["PlanAnswer"];

/** Expected duration, if the server has enough data. */
export function PlanInWords({ plan }: { plan: Plan | undefined }) {
  if (plan === undefined) return null;
  const { visitors_needed: needed, days, mde, power, daily_visitors: daily } = plan;
  if (needed === null)
    return <p>The duration cannot be estimated yet. Enter the visitors a day and the conversion rate in the setup.</p>;
  return (
    <p>
      To find a lift of {percentage(mde)} in {decimal(power)} of 100 cases, the experiment needs{" "}
      {count(needed, "visitor")}
      {days !== null && <>, which takes about {count(days, "day")}</>}
      {daily !== null && <> at {decimal(daily, 0)} a day</>}. A larger lift shows sooner
      {days !== null && days > LONG_DAYS && <>, and few teams wait longer than {LONG_DAYS} days</>}.
    </p>
  );
}

const COMES = [
  "The verdict in one sentence: whether a variant is better, worse, or whether it is too early to tell.",
  "Whether the numbers can be trusted: how visitors were split, whether changes find their elements, and more.",
  "The lift of each variant with its interval, which you may read on any day.",
  "Numbers by metric, over time, and by device, country or source.",
];

function WhatComes() {
  return (
    <ul className="mx-auto flex max-w-150 list-disc flex-col gap-1 pl-5 text-left">
      {COMES.map((one) => (
        <li key={one}>{one}</li>
      ))}
    </ul>
  );
}

export function NotStarted({ plan, action }: { plan: Plan | undefined; action: ReactNode }) {
  return (
    <Card flush>
      <Empty icon="trend" title="Results appear once it runs" action={action}>
        <div className="flex flex-col gap-3">
          <p>Visitors who enter the experiment are counted from its start. Then this page shows:</p>
          <WhatComes />
          <PlanInWords plan={plan} />
        </div>
      </Empty>
    </Card>
  );
}

export function NobodyYet({ plan, isLive, action }: { plan: Plan | undefined; isLive: boolean; action: ReactNode }) {
  if (!isLive)
    return (
      <Card flush>
        <Empty icon="people" title="Nobody entered while it ran" action={action}>
          No visitor was counted: the script may not have been on the page, or no visitor was in the audience.
        </Empty>
      </Card>
    );
  return (
    <Card flush>
      <Empty icon="people" title="It is running, without visitors yet" action={action}>
        <div className="flex flex-col gap-3">
          <p>
            Visitors appear here within a minute. If nobody enters, check that the script is on the page, that the
            address of the page matches, and who is in the audience.
          </p>
          <p>Once visitors come, this page shows:</p>
          <WhatComes />
          <PlanInWords plan={plan} />
        </div>
      </Empty>
    </Card>
  );
}

export function NobodyFits({ action }: { action: ReactNode }) {
  return (
    <Card flush>
      <Empty icon="search" title="No visitor matches the filters" action={action}>
        A visitor has to match all filters. Remove a filter, or show all visitors.
      </Empty>
    </Card>
  );
}
