// On another page, the focus goes to its heading, so that screen readers start there and Tab continues from there.

/** Heading of the opened part of a page, such as a step of the setup, else of the page. */
function headingIn(content: HTMLElement): HTMLElement | null {
  const parts = content.querySelectorAll<HTMLElement>("[data-part-heading]");
  return parts[parts.length - 1] ?? content.querySelector<HTMLElement>("h1");
}

/**
 * Focuses the heading as soon as it exists. A page that loads its chunk or its data has none at first, and the previous
 * page may still be there. If the user acts meanwhile, the focus does not move. Returns a function that ends the wait.
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
  // A part that waits for its data again is hidden by its style, and loses the focus until it is shown.
  observer.observe(content, { childList: true, subtree: true, attributeFilter: ["style"] });
  addEventListener("keydown", end, true);
  addEventListener("pointerdown", end, true);
  follow();
  return end;
}
