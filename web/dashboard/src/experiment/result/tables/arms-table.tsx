// Numbers of the variants on the goal at the top: the counts, the observed values, and the conclusions.

import { count, integer, percentage, probability } from "~/lib/format";
import { GroupedTable } from "~/ui/grouped-table";
import type { Column } from "~/ui/table";
import { ArmName } from "../arm-name";
import { percentChange } from "../interval-words";
import { Below, LiftShown, moneyColumns, RateShown, VerdictShown } from "../lift";
import { type Arm, hasRevenue, type Result } from "../reading";

export function ArmsTable({ result }: { result: Result }) {
  return (
    <GroupedTable<Arm, Arm>
      label="Variants"
      groupName="Variant"
      groups={result.variants}
      keyOf={({ variant_id: id }) => id}
      headOf={(arm) => <ArmName arm={arm} isServed={arm.variant_id === result.serving_variant_id} />}
      rowsOf={(arm) => [arm]}
      keyOfRow={({ variant_id: id }) => id}
      columns={columnsOf(result)}
    />
  );
}

function columnsOf(result: Result): Column<Arm>[] {
  const isLive = result.status_code === 1;
  return [
    { name: "Visitors", isNumber: true, cell: (arm) => <Visitors arm={arm} /> },
    { name: "Rate", isNumber: true, cell: (arm) => <RateShown of={arm} /> },
    ...(hasRevenue(result)
      ? moneyColumns(
          (arm: Arm) => arm,
          () => result.currency,
        )
      : []),
    {
      name: "Change, seen",
      isNumber: true,
      cell: (arm) => (arm.is_control ? null : percentChange(arm.improvement)),
    },
    {
      name: "Lift, inferred",
      isNumber: true,
      cell: (arm) => (arm.is_control ? null : <LiftShown of={arm.analysis} />),
    },
    {
      name: "Verdict",
      cell: ({ is_control: isControl, analysis }) =>
        isControl ? null : <VerdictShown of={analysis} isLive={isLive} />,
    },
  ];
}

function Visitors({ arm: { visitors, open_visitors: open, traffic_weight: weight } }: { arm: Arm }) {
  return (
    <>
      {integer(visitors)}
      <Below>{weight === 0 ? "gets no visitors now" : `gets ${percentage(weight)}`}</Below>
      {open != null && open > 0 && <Below>{integer(open)} can still convert</Below>}
    </>
  );
}

/** Explains the numbers, with examples from the result. */
export function ArmsHelp({ result }: { result: Result }) {
  const arm = result.variants.find(({ is_control: isControl }) => !isControl);
  const analysis = arm?.analysis;
  const compared = analysis?.visitors_compared;
  const entered = (arm?.visitors ?? 0) + (result.variants[0]?.visitors ?? 0);
  const confidence = result.confidence_threshold_percent;
  return (
    <>
      <p>
        <b className="font-semibold">Change</b> is the observed difference: how much higher or lower a variant is than
        the control, over everybody who entered. It is not a finding: half of all variants without any effect are
        higher. The API and files of results call this number <code className="font-mono">improvement</code>, also where
        less is better.
      </p>
      <p>
        <b className="font-semibold">Lift</b> is what can be concluded. It counts the visitors whose time to convert is
        over, adjusts for what was known before they entered, and compares only visitors who entered under the same
        weights. So the two numbers may differ
        {arm && analysis?.lift != null && arm.improvement != null && (
          <>
            {" "}
            (here {percentChange(arm.improvement)} and {percentChange(analysis.lift)} for {arm.name})
          </>
        )}
        . Decide by the lift.
      </p>
      <p>
        Below the lift is <b className="font-semibold">its interval</b>, which contains the true lift at {confidence} %
        confidence, on any day you read it.
      </p>
      <p>
        <b className="font-semibold">p</b>, below the verdict, is the p-value: how surprising the numbers are if nothing
        differs. It holds however often you look, and accounts for the number of variants compared. Below{" "}
        {probability(1 - confidence / 100)}, a difference is called a win or a loss.
      </p>
      {compared != null && compared !== entered && compared > 0 && arm && (
        <p>
          So far, {count(compared, "visitor")} of {integer(entered)} in {arm.name} and the control are compared.
        </p>
      )}
      {hasRevenue(result) && (
        <p>
          <b className="font-semibold">Money</b>: change and lift are those of the value per visitor. The rate is the
          share of buyers. In the comparison, the values of the few largest buyers are cut, so that one order does not
          decide. Shown values are never cut.
        </p>
      )}
    </>
  );
}
