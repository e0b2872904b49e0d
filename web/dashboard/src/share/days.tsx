// The shared result day by day. Loaded separately, because the chart code is large and the rest can be read meanwhile.

import { useState } from "react";
import type { Schemas } from "~/api/query";
import { Waiting } from "~/experiment/result/freshness";
import { TimeView } from "~/experiment/result/time/time-view";
import { ErrorPanel, Lines } from "~/ui/loaded";
import { type Shared, useShared } from "./read";

interface DaysProps {
  address: string;
  shared: Shared;
}

export function DaysOf(props: DaysProps) {
  const [attempt, setAttempt] = useState(0);
  return <Content key={attempt} {...props} readAgain={() => setAttempt(attempt + 1)} />;
}

function Content({ address, shared, readAgain }: DaysProps & { readAgain: () => void }) {
  const reading = useShared<Schemas["SharedTimeseries"]>(`${address}/timeseries`);
  switch (reading.state) {
    case "failed":
      return <ErrorPanel error={reading.failure} retry={readAgain} />;
    case "waiting":
      return <Waiting why={reading.why} isOutdated={false} />;
    case "reading":
      return (
        <div aria-busy="true">
          <Lines count={10} />
        </div>
      );
    case "shown":
      return (
        <TimeView
          points={reading.shown.timeseries}
          tz={reading.shown.tz}
          arms={shared.variants}
          goalName={shared.goal_name ?? ""}
          confidence={shared.confidence_threshold_percent}
          currency={shared.currency}
          of={shared.test_name}
          asOf={shared.as_of}
        />
      );
  }
}
