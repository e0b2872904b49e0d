import { useEffect } from "react";

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
