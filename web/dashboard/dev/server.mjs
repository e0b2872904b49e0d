// server [--port N] [--many N] [--delay MS]: a development server for the dashboard. It has the operations that the
// pages use, over made-up data in memory, and the built pages with the policy of the real server. Sign in as
// ada@example.com, grace@… (admin), mary.somerville@… (editor) or charles@… (viewer) with any password of 12
// characters; Ada's second factor is 123456. It does not implement the product's rules: only the real server refuses
// what they forbid.

import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PUBLIC, Refused, SIGNED_IN, tokenOf } from "./operations.mjs";
import { page } from "./page.mjs";
import { begin } from "./state.mjs";

/** @import { State } from "./state.mjs" */

/**
 * A request to the API, as passed to the `answer` of a test.
 * @typedef {object} Asked
 * @property {string} method
 * @property {string} path
 * @property {URLSearchParams} query
 * @property {any} body
 * @property {import("node:http").IncomingHttpHeaders} headers
 */

/** @typedef {readonly [status: number, body?: object | string | Buffer, headers?: Record<string, string>]} Sent */

/** Operations of both tables: whether each needs a session, the pattern of its requests, and its handler. */
const OPERATIONS = [PUBLIC, SIGNED_IN].flatMap((table) =>
  Object.entries(table).map(([operation, handler]) => ({
    isPublic: table === PUBLIC,
    pattern: new RegExp(`^${operation.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
    handler: /** @type {(call: object, state: State) => Sent} */ (handler),
  })),
);

/**
 * Starts the server. Returns its address, its state, and a function that stops it. `answer` can answer a request in
 * place of the server.
 *
 * @param {{
 *   port?: number,
 *   many?: number,
 *   delay?: number,
 *   answer?: (asked: Asked, state: State) => Sent | false | undefined | Promise<Sent | false | undefined>,
 * }} settings
 */
export async function start({ port = 0, many = 40, delay = 0, answer = undefined } = {}) {
  const state = begin(many);
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", "http://localhost");
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    /** @param {Sent} sent */
    const send = ([status, body, headers = {}]) => {
      response.writeHead(status, {
        "content-type": "application/json",
        "cache-control": "no-store",
        "x-request-id": "dev-1",
        ...headers,
      });
      response.end(typeof body === "object" && !Buffer.isBuffer(body) ? JSON.stringify(body) : body);
    };
    try {
      if (url.pathname === "/policy-report") {
        state.reports.push(text);
        return send([204]);
      }
      if (!url.pathname.startsWith("/v2/")) return send(page(url.pathname));
      state.requests.push(`${request.method} ${url.pathname}${url.search}`);
      if (delay) await new Promise((resolve) => setTimeout(resolve, delay));
      const asked = {
        method: request.method ?? "",
        path: url.pathname,
        query: url.searchParams,
        body: text ? JSON.parse(text) : undefined,
        headers: request.headers,
      };
      return send((await answer?.(asked, state)) || operate(asked, state));
    } catch (thrown) {
      if (!(thrown instanceof Refused)) console.error(thrown);
      const { status, code, fields } =
        thrown instanceof Refused ? thrown : { status: 500, code: "internal", fields: [] };
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      return send([status, { success: false, error, code, errors: fields, request_id: "dev-1" }]);
    }
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(undefined)));
  const address = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`;
  const end = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { address, state, end };
}

/**
 * @param {Asked} asked
 * @param {State} state
 */
function operate({ method, path, query, body, headers }, state) {
  for (const { pattern, isPublic, handler } of OPERATIONS) {
    const match = pattern.exec(`${method} ${path}`);
    if (match === null) continue;
    const parameters = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]);
    const me = state.people.find((one) => one.person_id === state.sessions.get(tokenOf(headers) ?? ""));
    if (!isPublic && me === undefined) throw new Refused(401, "unauthorized", "Nobody is signed in.");
    if (!isPublic && method !== "GET" && headers["x-muriel-csrf"] !== "csrf-token")
      throw new Refused(403, "csrf_failed", "X-Muriel-CSRF is missing or wrong.");
    return handler({ path: Object.fromEntries(parameters), query, body, headers, me }, state);
  }
  state.unknown.push(`${method} ${path}`);
  throw new Refused(404, "not_found", `The development server does not know ${method} ${path}.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "8787" },
      many: { type: "string", default: "40" },
      delay: { type: "string", default: "0" },
    },
  });
  const { address } = await start({
    port: Number(values.port),
    many: Number(values.many),
    delay: Number(values.delay),
  });
  console.log(`${address}: sign in as grace@example.com with any password of 12 characters`);
}
