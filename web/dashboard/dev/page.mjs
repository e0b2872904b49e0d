// The built pages as the real server sends them: with its policy, and a nonce per page.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const site = fileURLToPath(new URL("../build/site/", import.meta.url));
const TYPES = { js: "text/javascript", css: "text/css" };
/** Path prefix of the built files. */
export const FILES = "/assets/dev/";

export const policy = (nonce) =>
  `default-src 'none'; script-src 'nonce-${nonce}' 'strict-dynamic'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; ` +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; report-uri /policy-report";

/** @returns {[status: number, body: string | Buffer, headers: Record<string, string>]} */
export function page(path) {
  if (path.startsWith(FILES)) {
    const name = path.slice(FILES.length);
    if (!/^[\w.-]+$/.test(name)) return [404, "There is no such file.", { "content-type": "text/plain" }];
    const type = { "content-type": TYPES[name.split(".").pop()] };
    return [200, readFileSync(site + name), { ...type, "cache-control": "public, max-age=600" }];
  }
  const nonce = randomBytes(16).toString("base64");
  return [
    200,
    filled("index.html", nonce),
    {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy(nonce),
      "cross-origin-opener-policy": "same-origin",
    },
  ];
}

function filled(name, nonce) {
  return readFileSync(site + name, "utf8")
    .replace('<script type="module" crossorigin', `<script type="module" nonce="${nonce}"`)
    .replaceAll("./", FILES);
}

/**
 * The page of a shared result, with the header fields of the server's own answer. Its script finds out whether the link
 * works.
 * @param {import("node:http").IncomingHttpHeaders} headers
 * @returns {[body: string, headers: import("node:http").OutgoingHttpHeaders]}
 */
export function sharedPage({ "content-length": _, ...headers }) {
  const [, nonce] = /'nonce-([^']+)'/.exec(String(headers["content-security-policy"])) ?? [];
  return [filled("share.html", nonce).replace("{notice}", ""), headers];
}
