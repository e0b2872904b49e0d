// The badge of a preview: which arm this tab shows, and the way out.

/** Shows what the badge says, and calls `end` when the visitor has seen enough. */
export function badge(says: string, end: () => void): void {
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "closed" });
  // Of the page's styles nothing gets in; ours are set through the object model, which every policy allows.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
  :host { all: initial; position: fixed; inset: auto 16px 16px auto; z-index: 2147483647; }
  div { display: flex; gap: 12px; align-items: center; padding: 8px 8px 8px 16px; border-radius: 8px;
        font: 14px/20px system-ui, sans-serif; color: #fff; background: #1d2433; box-shadow: 0 2px 12px #0006; }
  button { font: inherit; color: inherit; background: #ffffff26; border: 0; border-radius: 6px; padding: 6px 12px; cursor: pointer; }
  button:hover { background: #ffffff40; }
  button:focus-visible { outline: 2px solid #fff; outline-offset: 2px; }
`);
  root.adoptedStyleSheets = [sheet];

  const box = document.createElement("div");
  box.setAttribute("role", "status");
  const text = document.createElement("span");
  text.textContent = says;
  const button = document.createElement("button");
  button.textContent = "End preview";
  button.addEventListener("click", end);
  box.append(text, button);
  root.append(box);

  const show = (): void => document.body.append(host);
  if (document.body) show();
  else document.addEventListener("DOMContentLoaded", show);
}
