// Serves a page by other authors, or one that a framework renders, from the test's server, with or without the script
// of a real project.

import { existsSync, readFileSync, statSync } from "node:fs";
import { request } from "node:http";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
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

/** A file below a folder, or undefined. The address of a folder means its index.html. */
function file(folder, path) {
  const inside = resolve(folder, `.${decodeURIComponent(path)}`);
  const found = [inside, join(inside, "index.html"), `${inside}.html`].find(
    (each) => existsSync(each) && statSync(each).isFile(),
  );
  return found && { type: typeOf(found), body: readFileSync(found) };
}

/**
 * Replaces the addresses of public CDNs with the packages that the lock file pins, and other addresses with empty
 * files.
 */
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

/** An inline script with this code. */
const inline = (code) => `<script>${code.replaceAll("</script", "<\\/script")}</script>`;

/** Yields the parts of a page with its head changed by `page`. Parts before the end of the head are joined. */
async function* withHead(stream, page) {
  let head = "";
  stream.setEncoding("utf8");
  for await (const part of stream) {
    if (head === null) yield part;
    else if ((head += part).includes("</head>")) {
      yield page(head);
      head = null;
    }
  }
  if (head) yield page(head);
}

/** Delay of the scripts of an application with its own server: its pages are painted before they are hydrated. */
const SCRIPTS_DELAY_MS = 200;

/** Forwards a request to an application's own server on a port of this machine. `page` changes the head of pages. */
async function forwarded(port, { method, path, query, headers, body }, page) {
  // Pages are changed, so they must not be compressed.
  const { "accept-encoding": _, ...sent } = headers;
  const came = await new Promise((done, failed) => {
    request({ host: "127.0.0.1", port, method, path: path + query, headers: sent }, done)
      .on("error", failed)
      .end(body);
  });
  const { "content-type": type = "text/plain", ...kept } = came.headers;
  for (const name of ["connection", "content-length", "keep-alive", "transfer-encoding"]) delete kept[name];
  if (path.endsWith(".js")) await pause(SCRIPTS_DELAY_MS);
  const isPage = type.startsWith("text/html");
  return {
    status: came.statusCode,
    headers: kept,
    type: type.split(";")[0],
    body: isPage ? withHead(came, page) : came,
  };
}

/**
 * Serves a page of `pages/`. `files` are its own files by path; they have precedence over those of its `folder` below
 * node_modules and over its application's own server on `port`. `carry` of the result sets the address of the script
 * that the pages load, or null for none.
 */
export function serve(server, { folder, port, files = {}, items, before = "" }) {
  let src = null;
  const page = (html) => {
    const head =
      inline(`${WATCH}${before};watch(${JSON.stringify(items)});`) + (src ? `<script src="${src}"></script>` : "");
    const text = local(html);
    // As early as possible, but after the declaration of the character set.
    const [at] = /<head[^>]*>(\s*<meta charset=[^>]*>)?/i.exec(text) ?? [];
    // HTML without a head is a part of a page.
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
    if (!found && port) return forwarded(port, came, page);
    if (!found) return { status: 404, type: "text/plain", body: "nothing here" };
    return found.type === "text/html" ? { ...found, body: page(found.body.toString()) } : found;
  });
  return { carry: (address) => (src = address) };
}
