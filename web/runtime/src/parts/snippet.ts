// The inline snippet for pages that load the script asynchronously. It queues calls, and hides the elements that
// experiments may change until the script has decided or failed to load, for one second at most. It belongs in the
// head, right before the tag of the script.

interface HiddenElements {
  show?(): void;
  since?: number;
  over?: boolean;
  ms?: number;
}

declare const GLOBAL: string;
declare const SELECTORS: string;

const doc = document;
const queue = ((window as unknown as Record<string, HiddenElements>)[GLOBAL] ??= [] as HiddenElements);
const own = doc.currentScript as HTMLScriptElement & { muriel: HiddenElements };
// Each snippet has its own fields, as a page may have the snippets of two projects. Those of the first are on the queue.
const hidden = (own.muriel = queue.show ? ({} as HiddenElements) : queue);
const css = SELECTORS + "{visibility:hidden!important}";
const style = doc.createElement("style");
let sheet: CSSStyleSheet | undefined;
try {
  // Every policy allows constructed style sheets, but older browsers do not have them.
  sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  doc.adoptedStyleSheets = [...doc.adoptedStyleSheets, sheet];
} catch {
  style.nonce = own.nonce;
  style.textContent = css;
  // Before the snippet, as the next element sibling has to be the tag of the script.
  own.before(style);
}
hidden.since = Date.now();
const show = (hidden.show = () => {
  hidden.ms ??= Date.now() - hidden.since!;
  if (sheet) doc.adoptedStyleSheets = doc.adoptedStyleSheets.filter((other) => other !== sheet);
  style.remove();
});
// When the script has loaded, it has run: hiding ends, whatever the response was.
for (const type of ["load", "error"])
  doc.addEventListener(type, ({ target }) => target === own.nextElementSibling && show(), true);
setTimeout(() => {
  hidden.over = hidden.ms == null;
  show();
}, 1e3);

// A module, so that its names are not global.
export {};
