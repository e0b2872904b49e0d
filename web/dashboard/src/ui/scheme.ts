// Conditions that affect how a canvas is drawn: light or dark, and whether the page is printed.

import { useSyncExternalStore } from "react";

const DARK = "(prefers-color-scheme: dark)";

function watchTheme(changed: () => void): () => void {
  const query = matchMedia(DARK);
  const observer = new MutationObserver(changed);
  query.addEventListener("change", changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    query.removeEventListener("change", changed);
    observer.disconnect();
  };
}

/** Current scheme of the page: the user's choice, else the system's preference. */
export function useScheme(): "light" | "dark" {
  return useSyncExternalStore(watchTheme, () => {
    const { theme } = document.documentElement.dataset;
    return theme === "light" || theme === "dark" ? theme : matchMedia(DARK).matches ? "dark" : "light";
  });
}

let isBefore = false;

function watchPaper(changed: () => void): () => void {
  const query = matchMedia("print");
  const before = () => {
    isBefore = true;
    changed();
  };
  const after = () => {
    isBefore = false;
    changed();
  };
  query.addEventListener("change", changed);
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
  return () => {
    query.removeEventListener("change", changed);
    removeEventListener("beforeprint", before);
    removeEventListener("afterprint", after);
  };
}

/** Returns whether the page is about to be printed, or shown as in print. */
export function usePrinting(): boolean {
  return useSyncExternalStore(watchPaper, () => isBefore || matchMedia("print").matches);
}
