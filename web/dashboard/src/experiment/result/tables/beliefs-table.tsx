// Bayesian view: the posterior for each variant, given the numbers and the experience that most changes have small
// effects.

import { GroupedTable } from "~/ui/grouped-table";
import type { Column } from "~/ui/table";
import { ArmName } from "../arm-name";
import { intervalWords, smallPercentage } from "../interval-words";
import type { Arm, Result } from "../reading";

export function BeliefsTable({ result }: { result: Result }) {
  return (
    <GroupedTable<Arm, Arm>
      label="The Bayesian view"
      groupName="Variant"
      groups={result.variants.filter(({ is_control: isControl }) => !isControl)}
      keyOf={({ variant_id: id }) => id}
      headOf={(arm) => <ArmName arm={arm} isServed={arm.variant_id === result.serving_variant_id} />}
      rowsOf={(arm) => [arm]}
      keyOfRow={({ variant_id: id }) => id}
      columns={columnsOf(result)}
    />
  );
}

function columnsOf({ variants }: Result): Column<Arm>[] {
  const columns: Column<Arm>[] = [
    {
      name: "Chance to beat control",
      isNumber: true,
      cell: ({ analysis }) => smallPercentage(analysis?.chance_to_beat_control),
    },
    { name: "Expected loss", isNumber: true, cell: ({ analysis }) => smallPercentage(analysis?.expected_loss) },
  ];
  // The column exists only if the server has computed credible intervals.
  if (variants.some(({ analysis }) => analysis?.credible_interval != null))
    columns.push({
      name: "Credible interval",
      isNumber: true,
      cell: ({ analysis }) => intervalWords(analysis?.credible_interval) ?? "not known yet",
    });
  return columns;
}

export function BeliefsHelp() {
  return (
    <>
      <p>
        <b className="font-semibold">Chance to beat control</b>: how probable it is that the variant is better, given
        these numbers and the experience that most changes move a metric by less than a tenth.
      </p>
      <p>
        <b className="font-semibold">Expected loss</b>: the lift that is lost on average by choosing the variant,
        counting only the cases in which it is worse. When it is small, even a wrong choice costs little.
      </p>
      <p>
        <b className="font-semibold">Credible interval</b> of the lift: a very large lift is pulled towards zero,
        because most of them turn out smaller. So it may differ from the interval above, which is not adjusted like
        this.
      </p>
      <p>
        Use these numbers to weigh a decision, not to stop on the first day on which the chance looks good: they do not
        hold for repeated checks. The verdict does not use them.
      </p>
    </>
  );
}
