// @ts-nocheck: constructors take the fields of their classes from an object.
// A web server with responses that a test defines: a customer's site, or a stand-in for Muriel.

import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { CONDITION_TIMEOUT_MS } from "./engines/page.mjs";
import { judged } from "./wire.mjs";

/** The server never responds. */
export const hang = Symbol("hang");
/** The server closes the connection without a response. */
export const cut = Symbol("cut");
/** The server responds with bytes that are not HTTP. */
export const garbage = Symbol("garbage");

/**
 * A promise for a part of a response that the test releases: `const late = gate()`, then `late.open(text)`. The text is
 * sent; without one, nothing.
 */
export function gate() {
  let open;
  const promise = new Promise((done) => (open = done));
  return Object.assign(promise, { open: (part = "") => open(part) });
}

const TYPES = { html: "text/html", js: "text/javascript", css: "text/css", json: "application/json", png: "image/png" };

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "authorization, content-type, content-encoding, if-none-match",
  "access-control-expose-headers": "etag, retry-after, x-request-id",
};

/**
 * A server on a free port. Its names end in `host`, which browsers resolve to this machine if it ends in `.localhost`.
 * With its own host, a test has its own cookies and storage.
 *
 * - `origin`: `http://host:port`; `url(path, name)` puts another name before the host, such as `www.`.
 * - `routes`: the responses by path; a path that ends with `*` is a prefix. Without a route, the response is 404, but
 *   events posted below `/events/` are accepted as by Muriel.
 * - `requests`: the requests in order: `{ method, host, path, query, headers, body, json }`; `json` is the parsed body,
 *   or undefined if it is not JSON. `batches` are those posted below `/events/`, `events` all of their events, and
 *   `refused` descriptions of the mistakes in them: a test that leaves any has failed.
 * - `down`: while true, every connection is cut.
 */
export class FixtureServer {
  routes = new Map();
  requests = [];
  down = false;
  #waiting = new Set();

  static async start(host = "127.0.0.1") {
    const server = new FixtureServer();
    server.host = host;
    server.http = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      // If the test's response function throws, the browser gets a broken connection, and the test's own condition
      // fails.
      server.#answer(request, response).catch(() => response.destroy());
    });
    await new Promise((done, failed) => server.http.once("error", failed).listen(0, "127.0.0.1", done));
    server.port = server.http.address().port;
    server.origin = server.url("");
    return server;
  }

  url(path, name = "") {
    return `http://${name}${this.host}:${this.port}${path}`;
  }

  /**
   * Sets the response for a path, and returns its address.
   *
   * A response is text, or `{ status, headers, body, type }`, or `hang`, `cut` or `garbage`, or a function of the
   * request that returns one of these. A `body` is text, bytes, any other value for JSON, or a list or an async
   * iterable of parts that are sent one by one: text, numbers of milliseconds to wait, promises of text (see `gate`),
   * and finally optionally `hang` or `cut`.
   */
  route(path, answer) {
    this.routes.set(path, answer);
    return this.url(path.replace(/\*$/, ""));
  }

  get batches() {
    return this.requests.filter(({ method, path }) => method === "POST" && path.startsWith("/events/"));
  }

  get events() {
    return this.batches.flatMap(({ json }) => json?.events ?? []);
  }

  get refused() {
    return this.batches.flatMap(({ body, json }) => {
      const { whole, events, odd = [] } = judged(json);
      return [...whole, ...events.flat(), ...odd].map((flaw) => `${flaw} in ${body.slice(0, 300)}`);
    });
  }

  /**
   * Waits until `condition`, which is called with this server after each request, returns a truthy value, and returns
   * that.
   *
   * @throws {Error} After `ms` milliseconds, with the requests.
   */
  async received(condition, ms = CONDITION_TIMEOUT_MS) {
    const timer = AbortSignal.timeout(ms);
    let wake;
    timer.addEventListener("abort", () => wake?.());
    for (;;) {
      const value = condition(this);
      if (value) return value;
      if (timer.aborted) {
        const came = this.requests
          .map(({ method, path, body }) => `${method} ${path} ${body.slice(0, 300)}`)
          .join("\n  ");
        throw new Error(`not received within ${ms} ms: ${condition}; what came:\n  ${came}`);
      }
      await new Promise((again) => this.#waiting.add((wake = again)));
    }
  }

  async stop() {
    const closed = new Promise((done) => this.http.close(done));
    this.http.closeAllConnections();
    await closed;
  }

  async #answer(request, response) {
    const url = new URL(request.url, this.origin);
    const came = {
      method: request.method,
      host: request.headers.host,
      path: url.pathname,
      query: url.search,
      headers: request.headers,
      body: await text(request),
    };
    came.json = parsed(came.body);
    if (this.down) return void request.socket.destroy();
    if (request.method !== "OPTIONS") {
      this.requests.push(came);
      for (const again of this.#waiting) again();
      this.#waiting.clear();
    }
    await send(request, response, await this.#found(came));
  }

  async #found(came) {
    let answer = this.routes.get(came.path);
    if (answer === undefined) {
      const beginnings = [...this.routes.keys()].filter(
        (path) => path.endsWith("*") && came.path.startsWith(path.slice(0, -1)),
      );
      answer = this.routes.get(beginnings.sort((a, b) => b.length - a.length)[0]);
    }
    if (typeof answer === "function") answer = await answer(came);
    if (answer !== undefined) return answer;
    return came.path.startsWith("/events/") ? taken(came) : { status: 404, body: "nothing here", type: "text/plain" };
  }
}

async function text(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Responds like Muriel, docs/visitors.md: a batch is refused as a whole, or there is one result for each event. */
function taken({ method, json }) {
  if (method === "OPTIONS") return { status: 204, headers: CORS };
  const { whole, events } = judged(json);
  if (whole.length > 0)
    return { status: 400, headers: CORS, body: { success: false, code: "malformed_body", message: whole.join("; ") } };
  const results = events.map((flaws, at) => ({
    id: json.events[at]?.id,
    ...(flaws.length > 0 ? { status: "invalid", message: flaws.join("; ") } : { status: "ok" }),
  }));
  return { headers: CORS, body: { success: true, results } };
}

async function send(request, response, answer) {
  if (answer === hang) return;
  if (answer === cut) return void request.socket.destroy();
  if (answer === garbage) {
    request.socket.end(Buffer.from([0, 255, 254, 10, 13, 0, 60, 104, 116, 109, 108]));
    return;
  }
  const { status = 200, headers = {}, body = "", type } = typeof answer === "string" ? { body: answer } : answer;
  const isInParts = Array.isArray(body) || Symbol.asyncIterator in Object(body);
  const plain = typeof body === "string" || Buffer.isBuffer(body) || isInParts;
  const found =
    type ?? (plain ? (TYPES[request.url.match(/\.(\w+)(?:\?|$)/)?.[1]] ?? "text/html") : "application/json");
  const charset = found.startsWith("image/") ? found : `${found}; charset=utf-8`;
  response.writeHead(status, { "content-type": charset, ...headers });
  if (!isInParts) {
    response.end(plain ? body : JSON.stringify(body));
    return;
  }
  response.flushHeaders();
  for await (const part of body) {
    if (part === hang) return;
    if (part === cut) return void request.socket.destroy();
    if (typeof part === "number") await pause(part);
    else response.write(part || "");
  }
  response.end();
}
