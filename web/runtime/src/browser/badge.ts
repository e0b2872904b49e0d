// The badge of a preview names the arm that the tab shows, and ends the preview.

/** The number of error lines that fit. */
const LINES_MAX = 5;

/** Shows a badge with the text `says`, and calls `end` when its button is clicked. Returns a function that adds a line. */
export function badge(says: string, end: () => void): (line: string) => void {
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "closed" });
  // The page's styles do not reach a shadow root. A constructed style sheet is allowed under every policy.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
  :host { all: initial; position: fixed; inset: auto 16px 16px auto; max-width: calc(100vw - 32px); z-index: 2147483647; }
  div { display: flex; gap: 12px; align-items: center; padding: 8px 8px 8px 16px; border-radius: 8px;
        font: 14px/20px system-ui, sans-serif; color: #fff; background: #1d2433; box-shadow: 0 2px 12px #0006; }
  p { margin: 0; max-width: 40ch; overflow-wrap: anywhere; }
  p + p { color: #ffd7a8; }
  button { flex: none; font: inherit; color: inherit; background: #ffffff26; border: 0; border-radius: 6px; padding: 6px 12px; cursor: pointer; }
  button:hover { background: #ffffff40; }
  button:focus-visible { outline: 2px solid #fff; outline-offset: 2px; }
`);
  root.adoptedStyleSheets = [sheet];

  const box = document.createElement("div");
  box.setAttribute("role", "status");
  const text = document.createElement("section");
  const add = (line: string): void => {
    if (text.childElementCount > LINES_MAX) return;
    const paragraph = document.createElement("p");
    paragraph.textContent = line;
    text.append(paragraph);
  };
  add(says);
  const button = document.createElement("button");
  button.textContent = "End preview";
  button.addEventListener("click", end);
  box.append(text, button);
  root.append(box);

  const show = (): void => document.body.append(host);
  if (document.body) show();
  else document.addEventListener("DOMContentLoaded", show);
  return add;
}
