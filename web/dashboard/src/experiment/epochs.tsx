// Epochs so far: periods in which nothing changed that affects assignment.

import { useState } from "react";
import type { Schemas } from "~/api/query";
import { moment, percentage } from "~/lib/format";
import { EPOCH_REASON } from "~/lib/words";
import { Button } from "~/ui/button";
import { Card } from "~/ui/layout";
import { type Column, Table } from "~/ui/table";
import { weightsInWords } from "./arms";
import { useExperiment } from "./open";

type Epoch = Schemas["Epoch"];

const AT_ONCE = 10;

const COLUMNS: Column<Epoch>[] = [
  { name: "Epoch", isName: true, cell: ({ epoch }) => <span className="num font-medium">{epoch}</span> },
  { name: "Began", cell: ({ started_at: at }) => <span className="num">{moment(at)}</span> },
  { name: "Why", cell: ({ epoch, reasons }) => (epoch === 1 ? "First start" : reasons.map(reason).join(", ")) },
  { name: "Traffic", isNumber: true, cell: ({ traffic_allocation: traffic }) => percentage(traffic) },
  { name: "Weights", cell: ({ weights }) => weightsInWords(weights) },
];

function reason(word: Schemas["Reason"], at: number): string {
  const text = EPOCH_REASON[word] ?? word;
  return at === 0 ? text : text.charAt(0).toLowerCase() + text.slice(1);
}

export function EpochsCard() {
  const { epochs } = useExperiment().experiment;
  const [shown, setShown] = useState(AT_ONCE);
  const newestFirst = epochs.toReversed();
  return (
    <Card
      flush={epochs.length > 0}
      title="Epochs"
      about="An epoch is a period in which nothing changed that affects assignment. Visitors are compared within their epoch."
    >
      {epochs.length === 0 ? (
        <p className="text-soft">The first one begins when the experiment is started.</p>
      ) : (
        <Table label="Epochs" columns={COLUMNS} rows={newestFirst.slice(0, shown)} keyOf={({ epoch }) => epoch} />
      )}
      {epochs.length > shown && (
        <div className="border-t border-line px-4 py-3 md:px-5">
          <Button small onClick={() => setShown(shown + 100)}>
            Show older epochs
          </Button>
        </div>
      )}
    </Card>
  );
}
