// Changes that could run code. Storing HTML and scripts needs the scope `code`, and the server marks such changes.
// Whether another change could run code depends on the element, which only the page knows: an address is harmless on a
// picture, but runs code on a script.

import type { Change } from "../../ruleset";
import type { Direction } from "./position";

// Taken now, as a page may redefine it before it is used.
const { entries } = Object;

/** Elements, in any namespace, that run, load or embed what they contain or name, or that set attributes of others. */
const LOADERS =
  /^(script|style|base|link|meta|param|i?frame|frameset|fencedframe|portal|embed|object|applet|use|set|animate\w*|handler|listener)$/i;

/**
 * Elements whose `src` or `href` loads only pictures and media, or is followed on a click. They are listed with their
 * namespace, as elements of this name in others may load anything.
 */
const ADDRESSES: { [name: string]: RegExp } = {
  src: /xhtml (img|input|source|track|audio|video)$/,
  href: /xhtml (a|area)$|svg (a|image)$/,
};

const SCRIPT_SCHEMES: { [name: string]: RegExp } = {
  src: /^(javascript|vbscript):/i,
  href: /^(javascript|vbscript|data|blob):/i,
};

/** Declarations that load something. An escape or a variable may hide an address. */
const LOADING_STYLE = /\b(url|src|image|image-set|element|expression|var)\s*\(|\\|@|behavior|binding/i;

/**
 * Expressions that template languages evaluate in the page's own content: AngularJS, Vue, Knockout, htmx, Datastar, …
 */
const EXPRESSION = /\{\{/;
const EXPRESSION_CLASS = /(^|\s)(data-|x-)?ng[-_:][\w-]+:/i;
const EXPRESSION_NAME = /^data-(hx|ng|v|x|up|on|bind|init|effect|signals|computed)($|[-:.])/;
/** Attributes from which scripts of pages read addresses, HTML or selectors. jQuery can turn a selector into HTML. */
const LOADING_NAME = /^data-([\w-]+-)?(src|srcset|srcdoc|href|url|html|template|remote|target|parent|container)$/;
/** Scripts of pages show some attributes as HTML, such as titles in tooltips. */
const HTML = /<[a-z!/?]/i;

/** The attributes that changes may set. */
const NAMES = /^(value|placeholder|alt|title|(aria|data)-[a-z0-9_.:-]+)$/;

/** Inputs whose value the visitor sees. Other values are only sent. */
const SEEN_VALUES = /^(progress|meter|li)$|^input (?!hidden|radio|checkbox|password|file|image)/;

const kindOf = (element: Element): string => `${element.namespaceURI} ${element.localName}`;

/** Returns whether an element is, or is part of, one that runs or loads something. */
function isLoader(element: Element | null): boolean {
  for (; element; element = element.parentElement) if (LOADERS.test(element.localName)) return true;
  return false;
}

/** A text without blanks and controls, which browsers skip in the scheme of an address. */
const plain = (text: string): string => text.replace(/[\0-\x20\x7f-\xa0\s]+/g, "");

/** Returns whether declarations may load something. */
export const isLoadingStyle = (style: Change["style"]): boolean =>
  LOADING_STYLE.test(typeof style === "string" ? style : entries(style ?? {}).join(";"));

/**
 * Returns whether a change was stored with the scope `code`: the server has marked it, or it is HTML, which needs it.
 */
export const isMarked = ({ code, innerHTML, outerHTML, htmlBlock }: Change): boolean =>
  code === true || (innerHTML ?? outerHTML ?? htmlBlock) !== undefined;

/**
 * Returns whether setting an attribute of an element could run code, or would change data that a form sends and the
 * visitor does not see.
 */
function isRiskyAttribute(element: Element, name: string, value: string): boolean {
  const type = element.localName === "input" ? `input ${(element as HTMLInputElement).type}` : element.localName;
  return (
    !NAMES.test(name) ||
    isLoader(element) ||
    EXPRESSION_NAME.test(name) ||
    (LOADING_NAME.test(name) && !ADDRESSES.src!.test(kindOf(element))) ||
    (name === "value" && !SEEN_VALUES.test(type)) ||
    EXPRESSION.test(value) ||
    HTML.test(value) ||
    SCRIPT_SCHEMES.src!.test(plain(value))
  );
}

/**
 * Returns whether a change could run code on this element. Such a change is refused unless the server has marked it.
 */
export function couldRun(item: Change, element: Element): boolean {
  const { innerText, textContent, style, class: classes, attributes } = item;
  const texts = [innerText, textContent].filter((text) => text !== undefined) as string[];
  return (
    ["src", "href"].some((name) => {
      const address = item[name as "src" | "href"];
      return (
        typeof address === "string" &&
        (!ADDRESSES[name]!.test(kindOf(element)) ||
          SCRIPT_SCHEMES[name]!.test(plain(address)) ||
          EXPRESSION.test(address))
      );
    }) ||
    (texts.length > 0 && (isLoader(element) || texts.some((text) => EXPRESSION.test(text)))) ||
    (style !== undefined && isLoader(element) && isLoadingStyle(style)) ||
    EXPRESSION_CLASS.test(classes ?? "") ||
    entries(attributes ?? {}).some(([name, value]) => isRiskyAttribute(element, name, value))
  );
}

/**
 * Returns whether moving an element could run code: it would load something again, it would become part of an element
 * that runs or loads something, or it has text that a template language evaluates in another place.
 */
export const couldRunMoved = (element: Element, near: Element, direction: Direction): boolean =>
  isLoader(element) ||
  isLoader(direction === "p" ? near : near.parentElement) ||
  EXPRESSION.test(element.textContent ?? "");
