// State and losses of a bandit: the server's numbers.

import type { Schemas } from "~/api/query";
import { ago, decimal, duration, moment, NOTHING, percentage } from "~/lib/format";
import { Card, Facts } from "~/ui/layout";
import { type Column, Table } from "~/ui/table";
import { useExperiment } from "~/experiment/open";
import { armsOf } from "~/experiment/arms";

type Bandit = Schemas["Bandit"];

export function BanditCard({ bandit }: { bandit: Bandit }) {
  const { experiment } = useExperiment();
  const names = new Map(armsOf(experiment).map((arm) => [arm.variantId, arm]));
  const columns: Column<Schemas["BanditArm"]>[] = [
    { name: "Variant", isName: true, cell: ({ variant_id: id }) => names.get(id)?.name ?? id },
    { name: "Weight", isNumber: true, cell: ({ weight }) => percentage(weight) },
    {
      name: "Probably best",
      isNumber: true,
      cell: ({ probability_best: probability }) =>
        probability === null ? <NotKnown /> : `${decimal(probability, 1)}\u00a0%`,
    },
  ];
  const next = experiment.schedule.next;
  const isOn = experiment.configuration.is_mab === 1;
  return (
    <Card flush title="State of the bandit" about={bandit.reason}>
      <Table label="Variants of the bandit" columns={columns} rows={bandit.arms} keyOf={({ variant_id: id }) => id} />
      <div className="border-t border-line px-4 py-4 md:px-5">
        <Facts
          facts={[
            ["Weights can move", isOn ? `once in ${duration(bandit.period_s)}` : "no longer: the bandit is off"],
            ["Each variant keeps", `at least ${percentage(bandit.floor)}`],
            ["Last move", bandit.last_moved_at === null ? "none yet" : moment(bandit.last_moved_at)],
            ["Next check", next?.act === "reweight" ? `${moment(next.at)}, ${ago(next.at)}` : NOTHING],
            ["Lost so far", <Lost key="lost" of={bandit} />],
            ["With an even split", <Lost key="even" of={bandit.even_split} />],
          ]}
        />
        <p className="mt-3 text-sm text-soft">
          Lost is how much more the visitors of other variants would have brought with the best one: in conversions, or
          in the unit of the goal's value.
        </p>
      </div>
    </Card>
  );
}

function NotKnown() {
  return (
    <>
      <span aria-hidden="true">{NOTHING}</span>
      <span className="sr-only">not known</span>
    </>
  );
}

function Lost({ of: { regret, regret_interval: interval } }: { of: Schemas["EvenSplit"] }) {
  if (regret === null) return "not known yet";
  const [from, to] = (interval ?? []) as number[];
  return (
    <span className="num">
      {decimal(regret, 1)}
      {from !== undefined && to !== undefined && (
        <span className="text-soft">
          {" "}
          ({decimal(from, 1)} to {decimal(to, 1)})
        </span>
      )}
    </span>
  );
}
