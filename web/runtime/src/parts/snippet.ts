// The snippet for pages that load the script without waiting for it: calls are kept, and what experiments may change is hidden
// until the script has decided, for a second at most. It stands inline in the head, before the script's tag.

interface Waiting extends Array<unknown> {
  show(): void;
  over?: boolean;
  ms?: number;
}

declare const GLOBAL: string;
declare const SELECTORS: string;

((win: Record<string, Waiting>, doc: Document) => {
  const queue = (win[GLOBAL] ??= [] as unknown as Waiting);
  const since = Date.now();
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(SELECTORS + "{visibility:hidden!important}");
  doc.adoptedStyleSheets = [...doc.adoptedStyleSheets, sheet];
  queue.show = () => {
    queue.ms ??= Date.now() - since;
    doc.adoptedStyleSheets = doc.adoptedStyleSheets.filter((other) => other !== sheet);
  };
  setTimeout(() => {
    queue.over = queue.ms == null;
    queue.show();
  }, 1e3);
})(window as never, document);
