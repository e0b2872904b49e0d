// The inline snippet for pages that load the script asynchronously: queues calls, and hides what experiments may change until the
// script has decided or failed to load, for one second at most. It stands in the head, right before the tag of the script.

interface SnippetQueue extends Array<unknown> {
  show(): void;
  since: number;
  over?: boolean;
  ms?: number;
}

declare const GLOBAL: string;
declare const SELECTORS: string;

((win: Record<string, SnippetQueue>, doc: Document) => {
  const queue = (win[GLOBAL] ??= [] as unknown as SnippetQueue);
  const own = doc.currentScript as HTMLScriptElement;
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
  queue.since = Date.now();
  queue.show = () => {
    queue.ms ??= Date.now() - queue.since;
    if (sheet) doc.adoptedStyleSheets = doc.adoptedStyleSheets.filter((other) => other !== sheet);
    style.remove();
  };
  // When the script has loaded, it has run: hiding ends, whatever the response was.
  for (const type of ["load", "error"]) {
    doc.addEventListener(type, ({ target }) => target === own.nextElementSibling && queue.show(), true);
  }
  setTimeout(() => {
    queue.over = queue.ms == null;
    queue.show();
  }, 1e3);
})(window as never, document);
