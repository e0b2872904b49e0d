// On another page the focus goes to its heading, so that screen readers begin there, and Tab leads to what comes after it.

/** The heading of what has been opened: that of a part of a page, such as a step of a setup, else that of the page. */
function headingIn(content: HTMLElement): HTMLElement | null {
  const parts = content.querySelectorAll<HTMLElement>("[data-part-heading]");
  return parts[parts.length - 1] ?? content.querySelector<HTMLElement>("h1");
}

/**
 * Focuses the heading as soon as it is there: a page that is loaded on its first visit, or waits for its data, has none at first, and the page
 * before may still be there. Whoever goes on meanwhile keeps the focus. Returns what ends it.
 */
export function focusHeading(content: HTMLElement): () => void {
  const { activeElement: before } = document;
  let focused: Element | null = null;
  const follow = () => {
    const now = document.activeElement;
    if (now !== before && now !== document.body && now !== focused) return end();
    const heading = headingIn(content);
    if (heading === null || heading === now) return;
    heading.focus({ preventScroll: true });
    focused = heading;
  };
  const observer = new MutationObserver(follow);
  const end = () => {
    observer.disconnect();
    removeEventListener("keydown", end, true);
    removeEventListener("pointerdown", end, true);
  };
  // A part that waits again for its data is hidden by its style, and loses the focus until it is shown.
  observer.observe(content, { childList: true, subtree: true, attributeFilter: ["style"] });
  addEventListener("keydown", end, true);
  addEventListener("pointerdown", end, true);
  follow();
  return end;
}
