// Lines of values over days, with a band and marks. It is a canvas, so pages that use it also have a table of the same
// numbers. On paper and in files it is an SVG with the same positions.

import { type Ref, useEffect, useImperativeHandle, useRef, useState } from "react";
import { track } from "~/api/settled";
import { usePrinting, useScheme } from "./scheme";
import type { TimeChart } from "./time-chart";
import { HEIGHT, type TimeShape } from "./time-shape";
import { useWidth } from "./width";

export interface TimePlotHandle {
  /** The picture as an SVG; undefined before it is drawn. */
  svg: () => SVGSVGElement | undefined;
}

interface TimePlotProps {
  shape: TimeShape;
  /** Index of the day that is read out. */
  at: number;
  /** Called when the user points at a day. */
  onDay: (at: number) => void;
  ref?: Ref<TimePlotHandle>;
}

type Draw = typeof import("./time-chart").timeChart;

/** Loads the chart code once for all pictures. */
function useDraw(): Draw | "failed" | undefined {
  const [draw, setDraw] = useState<{ it: Draw | "failed" }>();
  useEffect(() => {
    let isCurrent = true;
    track(import("./time-chart")).then(
      ({ timeChart }) => isCurrent && setDraw({ it: timeChart }),
      () => isCurrent && setDraw({ it: "failed" }),
    );
    return () => {
      isCurrent = false;
    };
  }, []);
  return draw?.it;
}

export function TimePlot({ shape, at, onDay, ref }: TimePlotProps) {
  const [host, width] = useWidth<HTMLDivElement>();
  const paper = useRef<HTMLDivElement>(null);
  const chart = useRef<TimeChart>(undefined);
  const draw = useDraw();
  const scheme = useScheme();
  const isPrinting = usePrinting();
  const isReady = width > 0;
  // Current values, for a chart that was created earlier.
  const now = useRef({ width, at, onDay });
  now.current = { width, at, onDay };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours of the canvas depend on the scheme.
  useEffect(() => {
    const element = host.current;
    if (element === null || draw === undefined || draw === "failed" || !isReady) return undefined;
    const made = draw(element, shape, now.current.width, (day) => now.current.onDay(day));
    chart.current = made;
    made.show(now.current.at);
    return () => {
      made.destroy();
      chart.current = undefined;
    };
  }, [draw, shape, scheme, isReady]);

  useEffect(() => {
    if (width > 0) chart.current?.resize(width);
    chart.current?.show(at);
  }, [width, at]);

  useEffect(() => {
    const svg = isPrinting ? chart.current?.svg() : undefined;
    svg?.setAttribute("class", "block h-auto max-w-full");
    paper.current?.replaceChildren(...(svg ? [svg] : []));
  }, [isPrinting]);

  useImperativeHandle(ref, () => ({ svg: () => chart.current?.svg() }), []);

  if (draw === "failed")
    return <p className="text-soft">The picture could not be loaded. The table has its numbers.</p>;
  return (
    <>
      <div ref={host} aria-hidden="true" className="relative print:hidden" style={{ height: HEIGHT }}>
        {draw === undefined && <div className="skeleton absolute inset-0" />}
      </div>
      <div ref={paper} aria-hidden="true" />
    </>
  );
}
