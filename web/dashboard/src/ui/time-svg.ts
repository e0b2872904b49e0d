// A picture of days as an SVG, for files and for paper. All positions are computed from the box of the chart, so both
// are the same picture.

import { day } from "~/lib/format";
import { scaleOf } from "~/lib/scale";
import {
  dayTicksOf,
  HEIGHT,
  hasDots,
  markLines,
  nameStart,
  placesOf,
  type TimeLine,
  type TimeShape,
  valueTicks,
} from "./time-shape";
import { fontOf, measureIn } from "./width";

/** Position of the days within the picture, in pixels of the page. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
  /** Width of the whole picture. */
  whole: number;
}

const SVG = "http://www.w3.org/2000/svg";

export function svgElement<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Record<string, string | number>,
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

interface Scales {
  x: (at: number) => number;
  y: (value: number) => number;
}

export function timeSvg(shape: TimeShape, box: Box): SVGSVGElement {
  const [from, to] = placesOf(shape);
  const y = scaleOf(shape.range, 0, box.height);
  const scales: Scales = {
    x: scaleOf({ from, to }, box.left, box.width),
    y: (value) => box.top + box.height - y(value),
  };
  const clip = `days-${crypto.randomUUID()}`;
  return svgElement(
    "svg",
    { width: box.whole, height: HEIGHT, viewBox: `0 0 ${box.whole} ${HEIGHT}`, "data-plot": "days" },
    svgElement(
      "clipPath",
      { id: clip },
      svgElement("rect", { x: box.left - 6, y: box.top - 1, width: box.width + 12, height: box.height + 2 }),
    ),
    ...grid(shape, box, scales),
    svgElement("g", { "clip-path": `url(#${clip})` }, ...band(shape, scales), ...zero(shape, box, scales)),
    ...marks(shape, box, scales),
    svgElement("g", { "clip-path": `url(#${clip})` }, ...shape.lines.flatMap((line) => drawn(line, shape, scales))),
  );
}

function grid(shape: TimeShape, box: Box, { x, y }: Scales): SVGElement[] {
  const values = valueTicks(shape, box.height).flatMap(([value, text]) => [
    svgElement("line", {
      x1: box.left,
      x2: box.left + box.width,
      y1: y(value),
      y2: y(value),
      class: "stroke-line",
      "data-tick": value,
    }),
    svgElement(
      "text",
      { x: box.left - 6, y: y(value) + 4, "text-anchor": "end", class: "fill-soft text-[12px]" },
      text,
    ),
  ]);
  const days = dayTicksOf(shape, box.width).map((at) =>
    svgElement(
      "text",
      {
        x: x(at),
        y: box.top + box.height + 18,
        "text-anchor": "middle",
        class: "fill-soft text-[12px]",
        "data-day": at,
      },
      day(shape.days[at], true),
    ),
  );
  return [...values, ...days];
}

/** Runs of days without a gap, as indices of their first and last day. */
function runs(isThere: (at: number) => boolean, count: number): [number, number][] {
  const found: [number, number][] = [];
  let from = -1;
  for (let at = 0; at <= count; at += 1) {
    const is = at < count && isThere(at);
    if (is && from < 0) from = at;
    if (!is && from >= 0) {
      found.push([from, at - 1]);
      from = -1;
    }
  }
  return found;
}

function path(values: readonly (number | null)[], [from, to]: [number, number], { x, y }: Scales): string[] {
  return Array.from({ length: to - from + 1 }, (_, at) => `${x(from + at)} ${y(values[from + at] ?? 0)}`);
}

function band({ band, days }: TimeShape, scales: Scales): SVGElement[] {
  if (band === undefined) return [];
  const isKnown = (at: number) => band.low[at] != null && band.high[at] != null;
  return runs(isKnown, days.length).flatMap((run) => {
    const [high, low] = [path(band.high, run, scales), path(band.low, run, scales)];
    const edge = { fill: "none", class: "stroke-accent", "stroke-width": 0.75 };
    return [
      svgElement("path", {
        d: `M${[...high, ...low.toReversed()].join("L")}Z`,
        class: "fill-accent-wash",
        "data-part": "band",
      }),
      svgElement("path", { ...edge, d: `M${high.join("L")}`, "data-part": "high", "data-from": run[0] }),
      svgElement("path", { ...edge, d: `M${low.join("L")}`, "data-part": "low", "data-from": run[0] }),
    ];
  });
}

function zero({ range }: TimeShape, box: Box, { y }: Scales): SVGElement[] {
  if (range.from > 0 || range.to < 0) return [];
  return [svgElement("line", { x1: box.left, x2: box.left + box.width, y1: y(0), y2: y(0), class: "stroke-edge" })];
}

function marks(shape: TimeShape, box: Box, { x }: Scales): SVGElement[] {
  const measure = measureIn(fontOf(12));
  return markLines(shape, box.height, box.width, (at) => x(at) - box.left, measure).flatMap((mark) => [
    svgElement("line", {
      x1: box.left + mark.x,
      x2: box.left + mark.x,
      y1: box.top,
      y2: box.top + mark.length,
      class: "stroke-soft",
      "stroke-dasharray": "2 3",
      "data-part": "mark",
    }),
    svgElement(
      "text",
      {
        x: box.left + nameStart(mark.x, measure(mark.name), box.width),
        y: box.top - 6,
        class: "fill-soft text-[12px]",
      },
      mark.name,
    ),
  ]);
}

function drawn({ values, kind, name }: TimeLine, shape: TimeShape, scales: Scales): SVGElement[] {
  const isMain = kind === "main";
  const found = runs((at) => values[at] != null, shape.days.length);
  const lines = found.map((run) =>
    svgElement("path", {
      d: `M${path(values, run, scales).join("L")}`,
      fill: "none",
      class: isMain ? "stroke-accent" : "stroke-soft",
      "stroke-width": isMain ? 2 : 1.5,
      ...(!isMain && { "stroke-dasharray": "5 4" }),
      "data-part": kind,
      "data-from": run[0],
      "data-name": name,
    }),
  );
  const isAlone = (at: number) => found.some(([from, to]) => from === to && from === at);
  const dots = values.flatMap((value, at) =>
    value !== null && (hasDots(shape) || isAlone(at))
      ? [
          svgElement("circle", {
            cx: scales.x(at),
            cy: scales.y(value),
            r: 3,
            class: isMain ? "fill-accent" : "fill-soft",
          }),
        ]
      : [],
  );
  return [...lines, ...dots];
}
