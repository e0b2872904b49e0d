// One picture: the name of its variant, the values of the day that is read out, and the days.

import type { Ref } from "react";
import { day } from "~/lib/format";
import { TimePlot, type TimePlotHandle } from "~/ui/time-plot";
import type { PanelShape } from "./panels";

interface PanelProps {
  panel: PanelShape;
  at: number;
  onDay: (at: number) => void;
  handle: Ref<TimePlotHandle>;
}

export function Panel({ panel, at, onDay, handle }: PanelProps) {
  return (
    <div className="flex min-w-0 flex-col break-inside-avoid" data-panel={panel.key}>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="min-w-0 font-semibold break-words">{panel.title}</h3>
        <p className="num text-soft max-xs:whitespace-normal">
          <span className="hidden print:inline">{day(panel.shape.days[at])}: </span>
          {panel.read(at)}
        </p>
      </div>
      <TimePlot shape={panel.shape} at={at} onDay={onDay} ref={handle} />
    </div>
  );
}
