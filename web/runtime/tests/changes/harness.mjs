// What the suites of this folder share: the modules as one script, pages from a server of our own, a browser.
//
// A suite is a list of `[name, (page, server) => …]`; `server.url(html, options)` serves a page, with the engine as `window.M` in its head.

import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const here = fileURLToPath(new URL(".", import.meta.url));

async function bundle(contents, define = {}) {
  const built = await build({
    stdin: { contents, resolveDir: here, loader: "ts" },
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2020",
    define,
    write: false,
  });
  return built.outputFiles[0].text;
}

const engine = () =>
  bundle(`
    import { applyCss } from "../../src/browser/changes/sheet";
    import { applyChanges } from "../../src/browser/changes/mutate";
    import { runCode, setNonce } from "../../src/browser/changes/code";
    const said = [];
    (window as any).said = said;
    (window as any).M = {
      applyCss, runCode, setNonce,
      change: (items, keep = true) => applyChanges(items, keep, (what) => said.push(what)),
    };`);

const react = (production) =>
  bundle(
    `
    import * as React from "react";
    import * as Client from "react-dom/client";
    import * as Dom from "react-dom";
    Object.assign(window, { React, Client, Dom });`,
    { "process.env.NODE_ENV": production ? '"production"' : '"development"' },
  );

export async function serve() {
  const scripts = { "/engine.js": await engine(), "/react.js": await react(true), "/react-dev.js": await react(false) };
  const pages = [];
  const waiting = new Map();
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://x").pathname;
    if (scripts[path]) {
      response.setHeader("content-type", "text/javascript");
      response.end(scripts[path]);
    } else if (path.startsWith("/next/")) {
      // The page has seen enough of what it has: the next part of it is sent.
      waiting.get(path.slice(6))?.();
      response.end();
    } else if (path.startsWith("/page/")) {
      const id = path.slice(6);
      const { parts, headers } = pages[id];
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers });
      for (const [index, part] of parts.entries()) {
        if (index) await new Promise((go) => waiting.set(id, go));
        response.write(part);
      }
      response.end();
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    /** `head` runs after the engine is there; `body` in several parts comes as the page asks for `/next/`. */
    url(body, { head = "", headers = {}, nonce = "", scripts: more = [] } = {}) {
      const [first, ...rest] = [body].flat();
      const tags = ["/engine.js", ...more].map((path) => `<script nonce="${nonce}" src="${path}"></script>`).join("");
      const start = `<!doctype html><html><head><title>t</title><script nonce="${nonce}">window.id=${pages.length}</script>${tags}`;
      pages.push({ parts: [`${start}<script nonce="${nonce}">${head}</script></head><body>${first}`, ...rest], headers });
      return `${origin}/page/${pages.length - 1}`;
    },
    close: () => new Promise((done) => server.close(done)),
  };
}

export const launch = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

/** Lets observers and what they bring about run, and a frame be painted. */
export const settled = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
