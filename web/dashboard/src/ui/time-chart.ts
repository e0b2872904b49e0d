// Days on a canvas, drawn by uPlot: lines, a band and marks. It is a separate chunk, which time-plot.tsx imports when a
// chart is shown.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { day } from "~/lib/format";
import {
  BOTTOM,
  dayTicksOf,
  HEIGHT,
  hasDots,
  markLines,
  nameStart,
  placesOf,
  RIGHT,
  type TimeShape,
  TOP,
  valueTicks,
} from "./time-shape";
import { type Box, timeSvg } from "./time-svg";
import { fontOf, measureIn } from "./width";

export interface TimeChart {
  resize: (width: number) => void;
  /** Shows a day: a line, and a dot on each of the lines. */
  show: (at: number) => void;
  /** Draws the same picture as an SVG. */
  svg: () => SVGSVGElement;
  destroy: () => void;
}

/** A canvas has no classes, so this reads the colours that they have where the chart is. */
function coloursIn(host: HTMLElement) {
  const probe = document.createElement("span");
  host.append(probe);
  const of = (name: string) => {
    probe.className = name;
    return getComputedStyle(probe).color;
  };
  const colours = {
    ink: of("text-ink"),
    soft: of("text-soft"),
    line: of("text-line"),
    edge: of("text-edge"),
    accent: of("text-accent"),
    wash: of("text-accent-wash"),
    panel: of("text-panel"),
  };
  probe.remove();
  return colours;
}

type Colours = ReturnType<typeof coloursIn>;

export function timeChart(host: HTMLElement, shape: TimeShape, width: number, onDay: (at: number) => void): TimeChart {
  const colours = coloursIn(host);
  let shown = shape.days.length - 1;
  const onCursor = (plot: uPlot) => {
    const { idx } = plot.cursor;
    if (typeof idx === "number") onDay(idx);
    // The pointer has left. The day that is read out stays.
    else plot.setCursor({ left: plot.valToPos(shown, "x"), top: 0 }, false);
  };
  const plot = new uPlot(optionsOf(shape, width, colours, onCursor), dataOf(shape), host);
  const showDots = dotsOn(plot, shape);
  // Drawing happens later than construction, and again after a change of size. Only then are the positions of days
  // known.
  plot.hooks.draw?.push(() => showDots(shown));
  const box = (): Box => {
    const { left, top, width, height } = plot.bbox;
    const ratio = uPlot.pxRatio;
    return { left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio, whole: plot.width };
  };
  return {
    resize: (now) => now !== plot.width && plot.setSize({ width: now, height: HEIGHT }),
    show: (at) => {
      shown = at;
      showDots(at);
      plot.setCursor({ left: plot.valToPos(at, "x"), top: 0 }, false);
    },
    svg: () => timeSvg(shape, box()),
    destroy: () => plot.destroy(),
  };
}

function dataOf({ days, lines, band }: TimeShape): uPlot.AlignedData {
  const data = [days.map((_, at) => at), ...(band ? [band.high, band.low] : []), ...lines.map(({ values }) => values)];
  return data as uPlot.AlignedData;
}

function optionsOf(shape: TimeShape, width: number, colours: Colours, onCursor: (plot: uPlot) => void): uPlot.Options {
  return {
    width,
    height: HEIGHT,
    // Positions are exact, and not rounded to pixels.
    pxAlign: false,
    padding: [TOP, RIGHT, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false, setScale: false },
      // Moves from day to day, not between them.
      move: (plot, left, top) => [left < 0 ? left : plot.valToPos(plot.posToIdx(left), "x"), top],
      points: { show: false },
    },
    scales: {
      x: { time: false, range: () => placesOf(shape) },
      y: { range: () => [shape.range.from, shape.range.to] },
    },
    series: [{}, ...seriesOf(shape, colours)],
    bands: shape.band ? [{ series: [1, 2], fill: colours.wash }] : [],
    axes: axesOf(shape, colours),
    hooks: {
      draw: [(plot) => drawMarks(plot, shape, colours)],
      setCursor: [onCursor],
    },
  };
}

/**
 * Dots on the lines at the day that is read out. Those of uPlot are up to a pixel off, because it rounds their
 * positions up.
 */
function dotsOn(plot: uPlot, { lines, range }: TimeShape): (at: number) => void {
  const dots = lines.map(({ kind }) => {
    const dot = document.createElement("div");
    dot.dataset.dot = kind;
    dot.className = `absolute top-0 left-0 -m-1 size-2 rounded-full pointer-events-none ${kind === "main" ? "bg-accent" : "bg-soft"}`;
    plot.over.append(dot);
    return dot;
  });
  return (at) =>
    lines.forEach(({ values }, place) => {
      const [dot, value] = [dots[place], values[at]];
      if (dot === undefined) return;
      dot.hidden = value == null || value < range.from || value > range.to;
      if (value != null) dot.style.transform = `translate(${plot.valToPos(at, "x")}px, ${plot.valToPos(value, "y")}px)`;
    });
}

function seriesOf(shape: TimeShape, colours: Colours): uPlot.Series[] {
  const end: uPlot.Series = { stroke: colours.accent, width: 0.75, points: { show: false } };
  return [
    ...(shape.band ? [end, end] : []),
    ...shape.lines.map(({ kind }): uPlot.Series => {
      const stroke = kind === "main" ? colours.accent : colours.soft;
      return {
        stroke,
        width: kind === "main" ? 2 : 1.5,
        ...(kind === "other" && { dash: [5, 4] }),
        points: { show: hasDots(shape), size: 6, fill: stroke, width: 0 },
      };
    }),
  ];
}

function axesOf(shape: TimeShape, colours: Colours): uPlot.Axis[] {
  const font = fontOf(12);
  const measure = measureIn(font);
  const common = { font, stroke: colours.soft, ticks: { show: false } };
  return [
    {
      ...common,
      size: BOTTOM,
      gap: 6,
      grid: { show: false },
      splits: (plot) => dayTicksOf(shape, plot.bbox.width / uPlot.pxRatio),
      values: (_, places) => places.map((at) => day(shape.days[at], true)),
    },
    {
      ...common,
      size: (_, texts) => Math.ceil(Math.max(0, ...(texts ?? []).map((text) => measure(text)))) + 12,
      grid: { stroke: colours.line, width: 1 },
      splits: (plot) => valueTicks(shape, plot.bbox.height / uPlot.pxRatio).map(([value]) => value),
      values: (plot) => valueTicks(shape, plot.bbox.height / uPlot.pxRatio).map(([, text]) => text),
    },
  ];
}

/** Draws over the rest: the line at zero, and the marks. */
function drawMarks(plot: uPlot, shape: TimeShape, colours: Colours): void {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  const { from, to } = shape.range;
  ctx.save();
  ctx.lineWidth = ratio;
  const stroke = (x1: number, y1: number, x2: number, y2: number) => {
    ctx.beginPath();
    ctx.moveTo(x1, y1);
    ctx.lineTo(x2, y2);
    ctx.stroke();
  };
  if (from <= 0 && to >= 0) {
    const zero = plot.valToPos(0, "y", true);
    ctx.strokeStyle = colours.edge;
    stroke(bbox.left, zero, bbox.left + bbox.width, zero);
  }
  ctx.strokeStyle = colours.soft;
  ctx.fillStyle = colours.soft;
  ctx.font = fontOf(12 * ratio);
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  ctx.setLineDash([2 * ratio, 3 * ratio]);
  const measure = measureIn(fontOf(12));
  const [width, height] = [bbox.width / ratio, bbox.height / ratio];
  for (const { x, length, name } of markLines(shape, height, width, (at) => plot.valToPos(at, "x"), measure)) {
    stroke(bbox.left + x * ratio, bbox.top, bbox.left + x * ratio, bbox.top + length * ratio);
    if (name !== "") ctx.fillText(name, bbox.left + nameStart(x, measure(name), width) * ratio, bbox.top - 6 * ratio);
  }
  ctx.restore();
}
