// Pictures as files: an SVG of the page becomes a standalone one, with its fonts and colours inline, and a PNG of it.

import { fitted } from "./interval-geometry";
import { fontOf, measureIn } from "./width";

/** Properties that classes set on the page, and attributes set in a file. */
const RESOLVED = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "stroke-width",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
] as const;

const SVG = "http://www.w3.org/2000/svg";
const PAD = 20;
const HEAD = 56;
const LINE = 18;

export interface PictureFile {
  svg: string;
  width: number;
  height: number;
}

/**
 * The picture as a standalone file. Its colours are those of the light theme, because it is used on paper and slides.
 * The title and the lines of `about` are above it. Texts that are too long for their line are cut.
 */
export function pictureFile(picture: SVGSVGElement, title: string, about: readonly string[]): PictureFile {
  const room = picture.width.baseVal.value;
  const top = HEAD + LINE * (about.length - 1);
  const width = room + 2 * PAD;
  const height = picture.height.baseVal.value + top + 2 * PAD;
  const copy = picture.cloneNode(true) as SVGSVGElement;
  const line = (content: string, below: number, classes: string, font: string) =>
    text(fitted(content, room, measureIn(font)), below - PAD - top, classes);
  const head = [
    line(title, 22, "text-[16px] font-semibold fill-ink", fontOf(16, 600)),
    ...about.map((content, at) => line(content, 42 + LINE * at, "text-[12px] fill-soft", fontOf(12))),
  ];
  const ground = element("rect", { x: -PAD, y: -PAD - top, width, height });
  ground.setAttribute("class", "fill-panel");
  copy.prepend(ground, ...head);
  inLight(copy, () => copy.querySelectorAll("*").forEach(resolve));
  for (const { name } of Array.from(copy.attributes)) if (!name.startsWith("data-")) copy.removeAttribute(name);
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("viewBox", `${-PAD} ${-PAD - top} ${width} ${height}`);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  copy.setAttribute("role", "img");
  const name = element("title", {});
  name.textContent = title;
  copy.prepend(name);
  return { svg: allowed(new XMLSerializer().serializeToString(copy)), width, height };
}

function text(content: string, y: number, classes: string): SVGElement {
  const made = element("text", { x: 0, y });
  made.setAttribute("class", classes);
  made.textContent = content;
  return made;
}

function element(name: string, attributes: Record<string, number>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/** Calls `act` while the picture is on the page, where its colours are those of the light theme. */
function inLight(copy: SVGSVGElement, act: () => void): void {
  const place = document.createElement("div");
  place.className = "absolute invisible size-0 overflow-hidden";
  place.dataset.theme = "light";
  place.setAttribute("aria-hidden", "true");
  place.append(copy);
  document.body.append(place);
  act();
  place.remove();
  copy.remove();
}

function resolve(element: Element): void {
  const style = getComputedStyle(element);
  for (const property of RESOLVED) {
    const value = style.getPropertyValue(property);
    if (value !== "") element.setAttribute(property, value);
  }
  element.removeAttribute("class");
  element.removeAttribute("style");
}

/** Replaces characters that XML does not allow, because names can contain them. */
function allowed(xml: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are replaced.
  return xml.replaceAll(/[\p{Cs}\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/gu, "\ufffd");
}

/** The picture as PNG, with `times` pixels per pixel of the page. The policy of the page allows images of `data:`. */
export async function pngOf({ svg, width, height }: PictureFile, times = 2): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * times);
  canvas.height = Math.round(height * times);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser cannot draw pictures");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large"))), "image/png"),
  );
}
