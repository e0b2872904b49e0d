// Visual changes: their kind, a sentence about their effect, and whether storing one needs the scope `code`. Unknown
// keys are kept as they are, so an edit always copies the whole item.

import type { Schemas } from "~/api/query";

export type Change = Schemas["Change"];

/** Keys that change the elements that `target` selects, with their names. */
export const CONTENT = {
  innerText: "text",
  textContent: "text",
  innerHTML: "HTML inside",
  outerHTML: "replacement HTML",
  src: "source",
  href: "link",
  style: "style",
  class: "classes",
} as const;

export type ContentKey = keyof typeof CONTENT;
export const CONTENT_KEYS = Object.keys(CONTENT) as ContentKey[];

/** Kinds, which the server distinguishes by the keys, in this order. */
export type Kind = "content" | "hide" | "insert" | "move" | "redirect" | "unknown";

export function kindOf(change: Change): Kind {
  const has = (...keys: string[]) => keys.every((key) => key in change);
  if (has("target") && CONTENT_KEYS.some((key) => has(key))) return "content";
  if (has("rm")) return "hide";
  if (has("refEl", "dir", "htmlBlock")) return "insert";
  if (has("oriEl", "refEl", "dir")) return "move";
  if (has("url") && !has("target")) return "redirect";
  return "unknown";
}

/** Content keys of a change, in the order in which they are shown. */
export function contentOf(change: Change): ContentKey[] {
  return CONTENT_KEYS.filter((key) => key in change);
}

const KNOWN: Record<Kind, string[]> = {
  content: ["target", ...CONTENT_KEYS],
  hide: ["rm"],
  insert: ["refEl", "dir", "htmlBlock"],
  move: ["oriEl", "refEl", "dir"],
  redirect: ["url", "relay_param"],
  unknown: [],
};

/** Keys that the form of a change does not show. */
export function furtherKeys(change: Change): string[] {
  const known = [...KNOWN[kindOf(change)], "pageUrl", "sitewide"];
  return Object.keys(change).filter((key) => !known.includes(key));
}

const HTML_KEYS = ["innerHTML", "outerHTML", "htmlBlock"];
const SCRIPT_SCHEMES = ["javascript:", "data:", "vbscript:", "blob:"];
/** A selector that can only match links. One that may match other elements, too, does not count. */
const LINKS_ONLY = /^(?:[^,()[\]"'\\/]*[\s>+~])?(?:a|area|image)(?:[.#:[][^,\s>+~()"'\\]*)?$/i;
/** Parts of a style that make a browser load something. */
const LOADS = /\\|(?:url|image|image-set|src|expression)\(|@import|-moz-binding|behavior/i;

/** Returns whether browsers run an address as a script. They skip whitespace and control characters in it. */
function isScript(address: unknown): boolean {
  const start = typeof address === "string" ? address.replaceAll(/[\s\p{Cc}]/gu, "").toLowerCase() : "";
  return SCRIPT_SCHEMES.some((scheme) => start.startsWith(scheme));
}

/**
 * Returns whether a change has parts that a browser can run or load: storing it needs the scope `code`. The server's
 * check is stricter, and refuses redirects to other sites.
 */
export function needsCode(change: Change): boolean {
  const { target, href, style, attributes } = change;
  const isLink = typeof target === "string" && LINKS_ONLY.test(target.trim());
  return (
    HTML_KEYS.some((key) => key in change) ||
    "src" in change ||
    (href !== undefined && (!isLink || isScript(href))) ||
    LOADS.test(typeof style === "string" ? style : JSON.stringify(style ?? "")) ||
    (typeof attributes === "object" && Object.keys(attributes ?? {}).some((name) => name.startsWith("data-")))
  );
}

/** Text of a key; empty if its value is not text. */
export function textOf(change: Change, key: string): string {
  const value = change[key];
  return typeof value === "string" ? value : "";
}

/** Declarations as text. A style may also be an object of them, with names in kebab or camel case. */
export function styleText(style: unknown): string {
  if (typeof style !== "object" || style === null) return typeof style === "string" ? style : "";
  return Object.entries(style)
    .map(([name, value]) => `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${value};`)
    .join(" ");
}

/** Returns whether browsers can parse a selector, which may enter shadow roots with `>>>`. */
export function isSelector(text: string): boolean {
  const scratch = document.createDocumentFragment();
  try {
    for (const part of text.split(">>>")) scratch.querySelector(part);
    return true;
  } catch {
    return false;
  }
}

/** Effect of a change, in one sentence without a full stop. */
export function sentenceOf(change: Change): string {
  return act(change) + place(change);
}

function act(change: Change): string {
  const element = (key: string) => named(textOf(change, key));
  switch (kindOf(change)) {
    case "content":
      return content(change, element("target"));
    case "hide":
      return `Hide ${element("rm")}`;
    case "insert":
      return `Insert ${quoted(textOf(change, "htmlBlock"))} ${DIRECTION[textOf(change, "dir")] ?? "at"} ${element("refEl")}`;
    case "move":
      return `Move ${element("oriEl")} ${MOVED[textOf(change, "dir")] ?? "to"} ${element("refEl")}`;
    case "redirect":
      return `Redirect to ${named(textOf(change, "url"), "an address")}${change.relay_param === false ? ", without the page’s parameters" : ""}`;
    case "unknown":
      return `Unknown change: ${short(JSON.stringify(change))}`;
  }
}

const DIRECTION: Record<string, string> = { b: "before", a: "after", p: "at the end of" };
const MOVED: Record<string, string> = { ...DIRECTION, p: "to the end of" };

function content(change: Change, element: string): string {
  const [first, ...others] = contentOf(change);
  const also = others.length > 0 ? `, and also its ${others.map((key) => CONTENT[key]).join(" and ")}` : "";
  return one(first as ContentKey, change, element) + also;
}

function one(key: ContentKey, change: Change, element: string): string {
  const text = textOf(change, key);
  switch (key) {
    case "innerText":
    case "textContent":
      return `Change the text of ${element} to ${quoted(text)}`;
    case "innerHTML":
      return `Change the HTML inside ${element} to ${quoted(text)}`;
    case "outerHTML":
      return `Replace ${element} with ${quoted(text)}`;
    case "src":
      return `Change the source of ${element} to ${quoted(text)}`;
    case "href":
      return `Change the link of ${element} to ${quoted(text)}`;
    case "style":
      return `Style ${element} with ${quoted(styleText(change.style))}`;
    case "class":
      return classes(text, element);
  }
}

function classes(text: string, element: string): string {
  const words = text.split(/\s+/).filter(Boolean);
  const added = words.filter((word) => !word.startsWith("-"));
  const taken = words.filter((word) => word.startsWith("-")).map((word) => word.slice(1));
  if (words.length === 0) return `Change the classes of ${element}`;
  const what = (list: string[]) => `the class${list.length > 1 ? "es" : ""} ${quoted(list.join(" "))}`;
  if (taken.length === 0) return `Add ${what(added)} to ${element}`;
  if (added.length === 0) return `Remove ${what(taken)} from ${element}`;
  return `Add ${what(added)} to ${element}, and remove ${what(taken)} from it`;
}

function place(change: Change): string {
  const page = textOf(change, "pageUrl");
  return isOnOnePage(change) && page !== "" ? `, only on ${short(page)}` : "";
}

/** Returns whether a change applies only on one page. */
export function isOnOnePage(change: Change): boolean {
  return change.sitewide === false && "pageUrl" in change;
}

function named(text: string, nothing = "an element"): string {
  return text.trim() === "" ? nothing : short(text);
}

function quoted(text: string): string {
  return text === "" ? "nothing" : `“${short(text)}”`;
}

const SHORT = 60;

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > SHORT ? `${line.slice(0, SHORT - 1)}…` : line;
}

/** Kinds that can be added, with their initial change. */
export const NEW_CHANGES: readonly { name: string; change: Change }[] = [
  { name: "Change text", change: { target: "", innerText: "" } },
  { name: "Change style", change: { target: "", style: "" } },
  { name: "Add or remove classes", change: { target: "", class: "" } },
  { name: "Change a link", change: { target: "", href: "" } },
  { name: "Change a picture", change: { target: "", src: "" } },
  { name: "Hide an element", change: { rm: "" } },
  { name: "Move an element", change: { oriEl: "", refEl: "", dir: "b" } },
  { name: "Insert HTML", change: { refEl: "", dir: "a", htmlBlock: "" } },
  { name: "Change HTML inside", change: { target: "", innerHTML: "" } },
  { name: "Replace with HTML", change: { target: "", outerHTML: "" } },
];

export const NEW_REDIRECT: Change = { url: "", relay_param: true };
