// The shared result day by day. It is apart, as what draws it is large, and what is above can be read meanwhile.

import { useEffect, useState } from "react";
import { type ApiFailure, failureFrom } from "~/api/failure";
import type { Schemas } from "~/api/query";
import { TimeView } from "~/pages/results/time/time-view";
import { ErrorPanel, Lines } from "~/ui/loaded";
import { read, type Shared } from "./read";

type Days = Schemas["SharedTimeseries"];

export function DaysOf({ address, shared }: { address: string; shared: Shared }) {
  const [days, setDays] = useState<Days>();
  const [failure, setFailure] = useState<ApiFailure>();
  useEffect(() => {
    const given = new AbortController();
    read<Days>(`${address}/timeseries`, given.signal)
      .then(setDays)
      .catch((error: unknown) => {
        if (!given.signal.aborted) setFailure(failureFrom(error));
      });
    return () => given.abort();
  }, [address]);
  if (failure) return <ErrorPanel error={failure} />;
  if (days === undefined)
    return (
      <div aria-busy="true">
        <Lines count={10} />
      </div>
    );
  return (
    <TimeView
      points={days.timeseries}
      tz={days.tz}
      arms={shared.variants}
      goalName={shared.goal_name ?? ""}
      confidence={shared.confidence_threshold_percent}
      currency={shared.currency}
      epochs={[]}
      of={shared.test_name}
      asOf={shared.as_of}
    />
  );
}
