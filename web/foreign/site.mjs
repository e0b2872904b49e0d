// A page that nobody of the project wrote, or one that a framework makes, behind a server of the test: with the script of a real
// project in it, or without.

import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const MODULES = join(HERE, "node_modules");
const WATCH = readFileSync(join(HERE, "watch.js"), "utf8");

const TYPES = {
  html: "text/html",
  js: "text/javascript",
  mjs: "text/javascript",
  css: "text/css",
  json: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  ico: "image/x-icon",
  woff: "font/woff",
  woff2: "font/woff2",
  webmanifest: "application/manifest+json",
};
const typeOf = (path) => TYPES[/\.(\w+)$/.exec(path)?.[1]] ?? "application/octet-stream";

/** A file below a folder, or undefined; addresses of folders are those of their index. */
function file(folder, path) {
  const inside = resolve(folder, `.${decodeURIComponent(path)}`);
  const found = [inside, join(inside, "index.html"), `${inside}.html`].find(
    (each) => existsSync(each) && statSync(each).isFile(),
  );
  return found && { type: typeOf(found), body: readFileSync(found) };
}

/** Pages name packages at public addresses: here they are the ones that the lock file pins. Whatever else they load is empty. */
const local = (html) =>
  html
    .replace(/https:\/\/(?:cdn\.jsdelivr\.net\/npm|unpkg\.com)\/((?:@[\w-]+\/)?[\w.-]+?)(?:@[\d.]+)?\//g, "/npm/$1/")
    .replace(/(<script[^>]* src=")(?:https?:)?\/\/[^"]*/g, "$1/elsewhere.js")
    .replace(/(<link[^>]* href=")(?:https?:)?\/\/[^"]*("[^>]*stylesheet)/g, "$1/elsewhere.css$2")
    .replace(/(<(?:img|source)[^>]* src=")(?:https?:)?\/\/[^"]*/g, "$1/elsewhere.svg");

const EMPTY = {
  "/elsewhere.js": "",
  "/elsewhere.css": "",
  "/elsewhere.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60"/>',
};

/** Text for an inline script. */
const inline = (code) => `<script>${code.replaceAll("</script", "<\\/script")}</script>`;

/**
 * Puts a page of `pages/` behind a server: `files` are those that it is made of, by path, before those of its `folder` below
 * node_modules. Gives back what sets whether its pages carry the script, by the script's address or null.
 */
export function serve(server, { folder, files = {}, items, before = "" }) {
  let src = null;
  const page = (html) => {
    const head =
      inline(`${WATCH}${before};watch(${JSON.stringify(items)});`) + (src ? `<script src="${src}"></script>` : "");
    const text = local(html);
    // As high up as it gets, behind what says how the page is written.
    const [at] = /<head[^>]*>(\s*<meta charset=[^>]*>)?/i.exec(text) ?? [];
    // Without a head it is a part of a page.
    return at ? text.replace(at, () => at + head) : text;
  };
  server.route("/nothing", '<!doctype html><title>Nothing</title><link rel="icon" href="data:,">');
  server.route("/*", async (came) => {
    const own = files[came.path] ?? EMPTY[came.path];
    const [, name] = /^\/npm\/(.*)$/.exec(came.path) ?? [];
    const found =
      own !== undefined
        ? {
            type: /\.\w+$/.test(came.path) ? typeOf(came.path) : "text/html",
            body: typeof own === "function" ? await own(came) : own,
          }
        : name
          ? file(MODULES, `/${name}`)
          : folder && file(resolve(MODULES, folder), came.path);
    if (!found) return { status: 404, type: "text/plain", body: "nothing here" };
    return found.type === "text/html" ? { ...found, body: page(found.body.toString()) } : found;
  });
  return { carry: (address) => (src = address) };
}
