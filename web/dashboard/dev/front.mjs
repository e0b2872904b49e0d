// front [--url URL] [--port N]: the built pages before a real server, which answers everything else. So pages are tried with it as soon as
// they are built, without building the server that embeds them.

import { createServer, request as ask } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { page, sharedPage } from "./page.mjs";

/** Addresses that are not of the application. */
const SERVERS = /^\/(v2|docs|js|events|ruleset|preview|share|geo|policy-report|mcp)(\/|$)/;

/** Starts it before the server at `url`; gives back its address, reports of its policy, how to cut its connections, and how to end it. */
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
    // Passkeys belong to the name under which the page was opened.
    if (!headers.host?.startsWith("localhost:")) headers.host = behind.host;
    if (headers.origin === address) headers.origin = behind.origin;
    const options = { host: behind.hostname, port: behind.port, method: request.method, path: request.url, headers };
    const asked = ask(options, (answer) => {
      if (isPage) {
        // The server says whether the link works. What it embeds may be older than what was built.
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
  /** Ends what is open, as a proxy that restarts. */
  const cut = () => server.closeAllConnections();
  return { address, reports, cut, end };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { url: { type: "string" }, port: { type: "string", default: "8788" } } });
  const { address } = await front(values.url ?? "http://127.0.0.1:8080", { port: Number(values.port) });
  console.log(address);
}
