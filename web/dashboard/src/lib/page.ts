import { useEffect, useRef } from "react";

/** Sets the title of the document: the page first, so that tabs can be told apart. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · Muriel` : "Muriel";
  }, [title]);
}

/** Copies text; false when the browser does not allow it. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * For a control that goes when it is pressed, and the focus with it: the title gets the focus then. `isThere` is whether the control is
 * there; what comes back is called when it is pressed.
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
