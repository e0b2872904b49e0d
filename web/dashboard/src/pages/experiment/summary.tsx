// What an experiment is, at a glance.

import { moment } from "~/lib/format";
import { Card, Facts } from "~/ui/layout";
import { useExperiment } from "./open";

export function SummaryPage() {
  const { experiment } = useExperiment();
  return (
    <Card title="About">
      <Facts
        facts={[
          [
            "Page",
            <span key="page" className="break-all">
              {experiment.url}
            </span>,
          ],
          [
            "Key",
            <code key="key" className="font-mono text-sm">
              {experiment.experiment_key}
            </code>,
          ],
          ["Variants", 1 + experiment.variants.length],
          ["Created", moment(experiment.created_at)],
          ["Last change", moment(experiment.updated_at)],
        ]}
      />
    </Card>
  );
}
