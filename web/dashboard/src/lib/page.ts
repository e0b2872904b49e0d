import { useEffect, useRef } from "react";

/** Sets the title of the document. The page comes first, so that browser tabs can be distinguished. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · Muriel` : "Muriel";
  }, [title]);
}

/** Copies text to the clipboard. Returns false if the browser does not allow it. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Focuses the title of the page after a control has disappeared because it was pressed, as the focus disappears with
 * it. `isThere` is true while the control exists. Call the returned function when it is pressed.
 */
export function useVanishing(isThere: boolean): () => void {
  const wasPressed = useRef(false);
  useEffect(() => {
    if (isThere || !wasPressed.current) return;
    wasPressed.current = false;
    if (document.activeElement === document.body) document.querySelector<HTMLElement>("#content h1")?.focus();
  }, [isThere]);
  return () => {
    wasPressed.current = true;
  };
}
