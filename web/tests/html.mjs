// Pages for tests.

/**
 * The first script of a page, which runs before everything else.
 *
 * Automated engines set `navigator.webdriver`, which makes the script under test do nothing, so it is false here.
 * `seen` records messages of errors and rejections, and the names of directives that blocked something.
 */
const FIRST = `
  Object.defineProperty(Navigator.prototype, "webdriver", { get: () => HUMAN ? false : true, configurable: true });
  const seen = (window.seen = { errors: [], rejections: [], blocked: [] });
  addEventListener("error", (event) => { if (event.message) seen.errors.push(event.message); });
  addEventListener("unhandledrejection", (event) => seen.rejections.push(String(event.reason)));
  document.addEventListener("securitypolicyviolation", (event) => seen.blocked.push(event.effectiveDirective));
`;

/** The nonce of pages created by `html` and `strict`. */
export const NONCE = "fixture-nonce";

/**
 * A whole page as text. With `human: false`, the page knows that the browser is automated.
 *
 * `head` and `body` are HTML. Scripts in them need `nonce="${NONCE}"` if the page is served by `strict`.
 */
export function html({ title = "Fixture", head = "", body = "", human = true } = {}) {
  const first = FIRST.replace("HUMAN", String(human));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<link rel="icon" href="data:,"><script nonce="${NONCE}">${first}</script>
${head}</head>
<body>${body}</body></html>`;
}

/**
 * A page with the policy of a careful site: scripts and styles by nonce only, and with `trustedTypes` (the names of the
 * policies that it allows) no text as code. `also` has further sources for scripts. Connections are not restricted.
 *
 * @param {any} page
 * @param {{ trustedTypes?: any, also?: string }} options
 */
export function strict(page, { trustedTypes, also = "" } = {}) {
  const policy = [`script-src 'nonce-${NONCE}' ${also}`, `style-src 'nonce-${NONCE}'`];
  if (trustedTypes !== undefined)
    policy.push("require-trusted-types-for 'script'", `trusted-types ${trustedTypes || "'none'"}`);
  return {
    headers: { "content-security-policy": policy.join("; ") },
    body: typeof page === "string" ? page : html(page),
  };
}
