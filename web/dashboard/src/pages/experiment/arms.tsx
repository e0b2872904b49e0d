// Variants of an experiment: their changes, and their shares of the visitors.

import { useQuery } from "@tanstack/react-query";
import { query, type Schemas } from "~/api/query";
import { count, percentage } from "~/lib/format";
import { Badge } from "~/ui/badge";
import { Card } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { type Column, Table } from "~/ui/table";
import { type Experiment, useExperiment } from "~/experiment/open";

interface Arm {
  id: string;
  name: string;
  nickname: string;
  what: string;
  weight: number;
  isPaused: boolean;
  isServed: boolean;
}

const COLUMNS: Column<Arm>[] = [
  {
    name: "Variant",
    isName: true,
    cell: ({ name, nickname, isPaused, isServed }) => (
      <span className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium">{name}</span>
        {nickname && nickname !== name && <span className="break-words text-soft">{nickname}</span>}
        {isServed && <Badge tone="good">Served</Badge>}
        {isPaused && <Badge tone="caution">Paused</Badge>}
      </span>
    ),
  },
  { name: "What it does", cell: ({ what }) => what },
  { name: "Share", isNumber: true, cell: ({ weight }) => percentage(weight) },
];

const MODES: Record<Schemas["DistributionMode"], string> = {
  equal: "The variants share visitors evenly.",
  custom: "The shares were set by hand.",
  mab: "A bandit moves the shares by the result.",
};

export function ArmsCard() {
  const { projectKey, experiment } = useExperiment();
  const shares = useQuery(
    query("/v2/project/{project_key}/experiment/{test_id}/distribution", {
      path: { project_key: projectKey, test_id: experiment.test_id },
    }),
  );
  return (
    <Loaded query={shares}>
      {({ variants, traffic_allocation, distribution_mode }) => (
        <Card
          flush
          title="Variants"
          about={`${percentage(traffic_allocation)} of the visitors in the audience enter. ${MODES[distribution_mode] ?? ""}`}
        >
          <Table
            label="Variants"
            columns={COLUMNS}
            keyOf={({ id }) => id}
            rows={variants.map(({ variant_id, name, traffic_weight, variant_status }) => ({
              id: variant_id,
              name,
              weight: traffic_weight,
              isPaused: variant_status === "paused",
              isServed: experiment.is_deploy === 1 && experiment.serving_variant_id === variant_id,
              ...partsOf(experiment, variant_id),
            }))}
          />
        </Card>
      )}
    </Loaded>
  );
}

function partsOf({ control, variants }: Experiment, id: string): Pick<Arm, "nickname" | "what"> {
  if (id === "0") return { nickname: control.nickname, what: listed(code(control)) || "The original page" };
  const variant = variants[Number(id) - 1];
  if (variant === undefined) return { nickname: "", what: "" };
  const changes = variant.data.length > 0 ? [count(variant.data.length, "visual change")] : [];
  return { nickname: variant.nickname, what: listed([...changes, ...code(variant)]) || "Nothing yet" };
}

function code({ customJS, customCSS }: { customJS: string; customCSS: string }): string[] {
  return [...(customJS ? ["JavaScript"] : []), ...(customCSS ? ["CSS"] : [])];
}

function listed(texts: string[]): string {
  return texts.join(", ");
}
