// Light and dark theme: the system's preference, unless the user chose one in this browser. The choice is an attribute
// of the document, which tokens.css uses.

export type ThemeChoice = "system" | "light" | "dark";

const KEY = "muriel-theme";

export function themeChoice(): ThemeChoice {
  const stored = localStorage.getItem(KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

function show(): void {
  const choice = themeChoice();
  if (choice === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
}

export function chooseTheme(choice: ThemeChoice): void {
  if (choice === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, choice);
  show();
}

/** Shows the chosen theme, and follows other tabs from now on. */
export function startTheme(): void {
  show();
  addEventListener("storage", show);
}
