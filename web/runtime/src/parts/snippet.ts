// The snippet for pages that load the script without waiting for it: calls are kept, and what experiments may change is hidden
// until the script has decided or cannot be had, for a second at most. It stands inline in the head, right before the script's tag.

interface Waiting extends Array<unknown> {
  show(): void;
  since: number;
  over?: boolean;
  ms?: number;
}

declare const GLOBAL: string;
declare const SELECTORS: string;

((win: Record<string, Waiting>, doc: Document) => {
  const queue = (win[GLOBAL] ??= [] as unknown as Waiting);
  const own = doc.currentScript as HTMLScriptElement;
  const css = SELECTORS + "{visibility:hidden!important}";
  const style = doc.createElement("style");
  let sheet: CSSStyleSheet | undefined;
  try {
    // Every policy allows these, and not every browser knows them.
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    doc.adoptedStyleSheets = [...doc.adoptedStyleSheets, sheet];
  } catch {
    style.nonce = own.nonce;
    style.textContent = css;
    // Before the lines, as what comes after them is the script that is waited for.
    own.before(style);
  }
  queue.since = Date.now();
  queue.show = () => {
    queue.ms ??= Date.now() - queue.since;
    if (sheet) doc.adoptedStyleSheets = doc.adoptedStyleSheets.filter((other) => other !== sheet);
    style.remove();
  };
  // The script has run by the time that it has loaded: what hides then is not needed, whatever came in its place.
  for (const type of ["load", "error"]) {
    doc.addEventListener(type, ({ target }) => target === own.nextElementSibling && queue.show(), true);
  }
  setTimeout(() => {
    queue.over = queue.ms == null;
    queue.show();
  }, 1e3);
})(window as never, document);
