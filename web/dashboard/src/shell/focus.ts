// On another page the focus goes to its heading, so that screen readers begin there, and Tab leads to what comes after it.

/** The heading of what has been opened: that of a part of a page, such as a step of a setup, else that of the page. */
function headingIn(content: HTMLElement): HTMLElement | null {
  const parts = content.querySelectorAll<HTMLElement>("[data-part-heading]");
  return parts[parts.length - 1] ?? content.querySelector<HTMLElement>("h1");
}

/**
 * Focuses the heading as soon as it is there: a page that is loaded on its first visit, or waits for its data, has none at first. Somebody
 * who has gone on meanwhile keeps the focus. Returns what ends the wait.
 */
export function focusHeading(content: HTMLElement): () => void {
  const { activeElement } = document;
  const attempt = () => {
    const hasMoved = document.activeElement !== activeElement && document.activeElement !== document.body;
    const heading = hasMoved ? null : headingIn(content);
    heading?.focus({ preventScroll: true });
    return hasMoved || heading !== null;
  };
  if (attempt()) return () => {};
  const observer = new MutationObserver(() => attempt() && observer.disconnect());
  observer.observe(content, { childList: true, subtree: true });
  return () => observer.disconnect();
}
