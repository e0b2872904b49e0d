// Joins several pictures to one for a file, one below the other, each with its title.

import { fitted } from "~/ui/interval-geometry";
import { svgElement } from "~/ui/time-svg";
import { fontOf, measureIn } from "~/ui/width";

const TITLE = 24;
const GAP = 16;

export function stacked(
  parts: readonly (readonly [title: string, svg: SVGSVGElement | undefined])[],
): SVGSVGElement | undefined {
  const measure = measureIn(fontOf(13, 600));
  let height = 0;
  let width = 0;
  const children: SVGElement[] = [];
  for (const [title, svg] of parts) {
    if (svg === undefined) continue;
    const own = { width: svg.width.baseVal.value, height: svg.height.baseVal.value };
    children.push(
      svgElement(
        "text",
        { x: 0, y: height + 16, class: "fill-ink text-[13px] font-semibold" },
        fitted(title, own.width, measure),
      ),
      svgElement("g", { transform: `translate(0 ${height + TITLE})`, "data-title": title }, ...svg.childNodes),
    );
    height += TITLE + own.height + GAP;
    width = Math.max(width, own.width);
  }
  if (children.length === 0) return undefined;
  height -= GAP;
  return svgElement("svg", { width, height, viewBox: `0 0 ${width} ${height}` }, ...children);
}
