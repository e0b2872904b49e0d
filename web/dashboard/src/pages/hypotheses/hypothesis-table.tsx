// Hypotheses as rows, for comparison.

import { Link } from "@tanstack/react-router";
import { ago, NOTHING } from "~/lib/format";
import { Badge, Dot } from "~/ui/badge";
import { Card } from "~/ui/layout";
import { Rating } from "~/ui/rating";
import { type Column, Table } from "~/ui/table";
import { ExperimentList, type HypothesesShown } from "./board";
import { type Hypothesis, RATINGS, titleOf } from "~/experiment/hypothesis-words";
import { experimentsOf, STAGE, stageOf } from "./linked";

export function HypothesisTable({ projectKey, hypotheses, linked }: HypothesesShown) {
  const name: Column<Hypothesis> = {
    name: "Hypothesis",
    isName: true,
    cell: (one) => (
      <div className="min-w-40 max-w-120">
        <Link
          to="/p/$projectKey/hypotheses/$hypothesisId"
          params={{ projectKey, hypothesisId: String(one.hypothesis_id) }}
          className="link font-medium"
        >
          {titleOf(one)}
        </Link>{" "}
        {one.archived && <Badge>Archived</Badge>}
        {one.problem?.trim() && one.solution?.trim() && (
          <p className="line-clamp-2 text-sm text-soft">{one.solution}</p>
        )}
      </div>
    ),
  };
  const ratings = RATINGS.map(
    ({ name, label }): Column<Hypothesis> => ({
      name: label,
      cell: (one) => <Rating value={one[name]} />,
    }),
  );
  const experiments: Column<Hypothesis> = {
    name: "Experiments",
    cell: (one) => {
      const made = experimentsOf(one, linked);
      if (made.length > 0) return <ExperimentList projectKey={projectKey} experiments={made} />;
      return <span className="text-soft">{linked.isComplete || one.linked_test_ids.length === 0 ? NOTHING : "…"}</span>;
    },
  };
  const stage: Column<Hypothesis> = {
    name: "Stage",
    cell: (one) => {
      if (!linked.isComplete) return "…";
      const at = stageOf(experimentsOf(one, linked));
      return <Dot word={at === "idea" ? { ...STAGE.idea, text: "Idea" } : STAGE[at]} hollow={at !== "testing"} />;
    },
  };
  const changed: Column<Hypothesis> = {
    name: "Changed",
    cell: (one) => <span className="whitespace-nowrap">{ago(one.updated_at)}</span>,
  };
  return (
    <Card flush>
      <Table
        label="Hypotheses"
        rows={hypotheses}
        keyOf={(one) => one.hypothesis_id}
        columns={[name, ...ratings, stage, experiments, changed]}
      />
    </Card>
  );
}
