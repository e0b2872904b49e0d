// front [--url URL] [--port N]: serves the built pages, and forwards everything else to a real server. So a new build
// can be tried with it without building the server that embeds the pages.

import { createServer, request as ask } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { page, sharedPage } from "./page.mjs";

/** Paths that the server answers, not the application. */
const SERVERS = /^\/(v2|docs|js|events|ruleset|preview|share|geo|policy-report|mcp)(\/|$)/;

/**
 * Starts a proxy for the server at `url`. Returns its address, the policy reports that it received, and functions that
 * cut its connections and stop it.
 */
export async function front(url, { port = 0 } = {}) {
  const behind = new URL(url);
  const reports = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", url);
    if (request.method === "GET" && !SERVERS.test(pathname)) {
      const [status, body, headers] = page(pathname);
      response.writeHead(status, headers);
      return response.end(body);
    }
    const isPage = request.method === "GET" && /^\/share\/[^/]+$/.test(pathname);
    if (pathname === "/policy-report") request.on("data", (part) => reports.push(String(part)));
    const headers = { ...request.headers };
    // Passkeys are bound to the host name under which the page was opened.
    if (!headers.host?.startsWith("localhost:")) headers.host = behind.host;
    if (headers.origin === address) headers.origin = behind.origin;
    const options = { host: behind.hostname, port: behind.port, method: request.method, path: request.url, headers };
    const asked = ask(options, (answer) => {
      if (isPage) {
        // The server determines whether the link works. The page that it embeds may be older than the build.
        answer.resume();
        const [body, headers] = sharedPage(answer.headers);
        response.writeHead(answer.statusCode ?? 502, headers);
        return response.end(body);
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    asked.on("error", () => response.destroy());
    response.on("close", () => asked.destroy());
    request.pipe(asked);
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(undefined)));
  const address = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`;
  const end = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  /** Closes the open connections, as a proxy does that restarts. */
  const cut = () => server.closeAllConnections();
  return { address, reports, cut, end };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { url: { type: "string" }, port: { type: "string", default: "8788" } } });
  const { address } = await front(values.url ?? "http://127.0.0.1:8080", { port: Number(values.port) });
  console.log(address);
}
