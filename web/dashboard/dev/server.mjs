// server [--port N] [--many N] [--delay MS]: a server for work on the dashboard: the operations that its pages use, over made-up data in
// memory, and the built pages under the policy of the real server. Sign in as ada@example.com, grace@… (admin), mary.somerville@… (editor)
// or charles@… (viewer) with any password of 12 characters; Ada's second factor is 123456. It knows no rules of the product: what is
// refused is refused by the real server only.

import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as data from "./data.mjs";
import { page } from "./page.mjs";
import { programme } from "./programme.mjs";

class Refused extends Error {
  constructor(status, code, message, fields = []) {
    super(message);
    Object.assign(this, { status, code, fields });
  }
}

/** Starts the server; gives back its address, its state, and how to end it. */
export async function start({ port = 0, many = 40, delay = 0, answer = undefined } = {}) {
  const state = {
    ...structuredClone({ people: data.people, invitations: data.invitations, keys: data.keys, audit: data.audit }),
    projects: [project(data.SHOP, "Shop"), project(data.BLOG, "Blog")],
    settings: new Map(),
    experiments: data.experiments(many),
    /** Tokens of sessions, with whose they are. */
    sessions: new Map(),
    needsFirstOwner: false,
    reports: [],
    requests: [],
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const send = (status, body, headers = {}) => {
      response.writeHead(status, {
        "content-type": "application/json",
        "cache-control": "no-store",
        "x-request-id": "dev-1",
        ...headers,
      });
      response.end(
        body === undefined
          ? undefined
          : typeof body === "string" || Buffer.isBuffer(body)
            ? body
            : JSON.stringify(body),
      );
    };
    try {
      if (url.pathname === "/policy-report") {
        state.reports.push(text);
        return send(204);
      }
      if (!url.pathname.startsWith("/v2/")) return send(...page(url.pathname));
      state.requests.push(`${request.method} ${url.pathname}${url.search}`);
      if (delay) await new Promise((resolve) => setTimeout(resolve, delay));
      const call = {
        method: request.method,
        path: url.pathname,
        query: url.searchParams,
        body: text ? JSON.parse(text) : undefined,
        headers: request.headers,
      };
      const [status, body, headers] = (await answer?.(call, state)) || operate(call, state);
      return send(status, body, headers);
    } catch (thrown) {
      if (!(thrown instanceof Refused)) console.error(thrown);
      const { status = 500, code = "internal", message, fields = [] } = thrown;
      return send(status, { success: false, error: message, code, errors: fields, request_id: "dev-1" });
    }
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${server.address().port}`;
  const end = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { address, state, end };
}

const project = (project_key, name) => ({ project_key, name });
const SCOPES = {
  viewer: ["read"],
  editor: ["read", "write", "evaluate"],
  admin: ["read", "write", "code", "evaluate", "admin"],
};
SCOPES.owner = SCOPES.admin;

function sessionOf(person, state) {
  const role = (key) =>
    person.projects === null ? person.role : person.projects.find((one) => one.project_key === key)?.role;
  return {
    success: true,
    person,
    role: person.role,
    company: "Acme",
    projects: state.projects
      .filter(({ project_key }) => role(project_key))
      .map((one) => ({ ...one, role: role(one.project_key), scopes: SCOPES[role(one.project_key)] })),
    csrf: "csrf-token",
    expires_at: new Date(Date.now() + 43_200_000).toISOString(),
  };
}

function signedIn(person, state, status) {
  const token = randomBytes(16).toString("hex");
  state.sessions.set(token, person.person_id);
  return [status, sessionOf(person, state), { "set-cookie": `muriel=${token}; Path=/; HttpOnly; SameSite=Lax` }];
}

const field = (name, message) => new Refused(400, "invalid_field", `${name} ${message}`, [{ field: name, message }]);

/** @returns {[status: number, body: object | string, headers?: object]} */
function operate({ method, path, query, body, headers }, state) {
  const called = (operation) => {
    const pattern = new RegExp(`^${operation.replace(/\{\w+\}/g, "([^/]+)")}$`);
    const match = pattern.exec(`${method} ${path}`);
    return match?.slice(1).map(decodeURIComponent);
  };
  let found;

  if (called("GET /v2/session/methods"))
    return [
      200,
      { success: true, needs_first_owner: state.needsFirstOwner, password: true, passkeys: false, oidc: null },
    ];
  if (called("POST /v2/session")) {
    const person = state.people.find((one) => one.email === body.email.toLowerCase());
    if (!person || body.password.length < 12)
      throw new Refused(401, "sign_in_failed", "the e-mail address, the password or the code is wrong");
    if (person.has_totp && !body.totp)
      throw new Refused(401, "totp_needed", "the code of the authenticator is needed too, as totp");
    if (person.has_totp && body.totp !== "123456")
      throw new Refused(401, "sign_in_failed", "the e-mail address, the password or the code is wrong");
    return signedIn(person, state, 200);
  }
  if ((found = called("GET /v2/invitation/{token}"))) {
    const [token] = found;
    if (token === "owner")
      return [
        200,
        {
          success: true,
          purpose: "first_owner",
          email: null,
          company: null,
          role: "owner",
          takes: ["email", "name", "password", "company"],
          expires_at: later(1),
        },
      ];
    if (token === "join")
      return [
        200,
        {
          success: true,
          purpose: "invitation",
          email: "emmy@example.com",
          company: "Acme",
          role: "editor",
          takes: ["name", "password"],
          expires_at: later(6),
        },
      ];
    throw new Refused(404, "not_found", "There is no such invitation.");
  }
  if (called("POST /v2/invitation/{token}")) {
    if ((body.password ?? "").length < 12) throw field("password", "must have at least 12 characters");
    const person = {
      ...state.people[0],
      person_id: 100 + state.people.length,
      name: body.name,
      email: body.email ?? "emmy@example.com",
      has_totp: false,
    };
    state.people.push(person);
    return signedIn(person, state, 201);
  }

  const token = /(?:^|; )muriel=(\w+)/.exec(headers.cookie ?? "")?.[1];
  const me = state.people.find((one) => one.person_id === state.sessions.get(token));
  if (!me) throw new Refused(401, "unauthorized", "Nobody is signed in.");
  if (method !== "GET" && headers["x-muriel-csrf"] !== "csrf-token")
    throw new Refused(403, "csrf_failed", "X-Muriel-CSRF is missing or wrong.");
  const isAdmin = SCOPES[me.role].includes("admin");
  const needsAdmin = () => {
    if (!isAdmin) throw new Refused(403, "forbidden", "Your role does not allow this.");
  };

  if (called("GET /v2/session")) return [200, sessionOf(me, state)];
  if (called("DELETE /v2/session")) {
    state.sessions.delete(token);
    return [200, { success: true, signed_out: true }, { "set-cookie": "muriel=; Path=/; Max-Age=0" }];
  }
  if (called("GET /v2/people")) {
    needsAdmin();
    return [200, { success: true, count: state.people.length, people: state.people, invitations: state.invitations }];
  }
  if (called("POST /v2/invitation")) {
    if (!body.email.includes("@")) throw field("email", "must be an e-mail address");
    const invitation = {
      invitation_id: Date.now(),
      email: body.email,
      role: body.role,
      projects: body.projects ?? null,
      invited_by: me.name,
      created_at: later(0),
      expires_at: later(7),
    };
    state.invitations.push(invitation);
    return [
      201,
      {
        success: true,
        invitation_id: invitation.invitation_id,
        link: `http://${headers.host}/invitation#join`,
        expires_at: invitation.expires_at,
      },
    ];
  }
  if ((found = called("DELETE /v2/people/invitation/{id}"))) {
    state.invitations = state.invitations.filter((one) => String(one.invitation_id) !== found[0]);
    return [200, { success: true, invitation_id: Number(found[0]), deleted: true }];
  }
  if ((found = called("PATCH /v2/person/{id}"))) {
    const person = state.people.find((one) => String(one.person_id) === found[0]);
    if (body.name === "") throw field("name", "must not be empty");
    Object.assign(person, body);
    return [200, { success: true, person }];
  }
  if ((found = called("DELETE /v2/person/{id}"))) {
    state.people = state.people.filter((one) => String(one.person_id) !== found[0]);
    return [200, { success: true, person_id: Number(found[0]), deleted: true }];
  }
  if (called("POST /v2/person/me/password")) {
    if (body.password.length < 12) throw field("password", "must have at least 12 characters");
    return [200, { success: true, revoked: 1 }];
  }
  if (called("GET /v2/person/me/sessions")) {
    const sessions = data.sessions(headers["user-agent"] ?? "");
    return [200, { success: true, count: sessions.length, sessions }];
  }
  if (called("DELETE /v2/person/me/sessions") || called("DELETE /v2/person/me/sessions/{id}"))
    return [200, { success: true, revoked: 1 }];
  if (called("POST /v2/person/me/totp"))
    return [
      200,
      {
        success: true,
        secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
        uri: "otpauth://totp/Muriel:ada?secret=JBSWY3DPEHPK3PXP&issuer=Muriel",
      },
    ];
  if (called("POST /v2/person/me/totp/confirm")) {
    if (body.code !== "123456") throw field("code", "is wrong");
    me.has_totp = true;
    return [200, { success: true, recovery_codes: ["4F7K-99QD", "8WQ2-1MZX", "P0LS-7HTY"] }];
  }
  if (called("POST /v2/person/me/totp/remove")) {
    me.has_totp = false;
    return [200, { success: true, removed: true }];
  }
  if (called("GET /v2/projects"))
    return [200, { success: true, count: state.projects.length, projects: sessionOf(me, state).projects }];
  if (called("POST /v2/projects")) {
    if (!body.name.trim()) throw field("name", "must not be empty");
    const key = `prj_${randomBytes(11).toString("hex")}`;
    state.projects.push(project(key, body.name));
    return [201, { success: true, project_key: key }];
  }
  if ((found = called("GET /v2/project/{key}/settings")))
    return [200, { success: true, project_key: found[0], settings: settingsOf(found[0], state) }];
  if ((found = called("PATCH /v2/project/{key}/settings"))) {
    needsAdmin();
    if ("health" in body && !(body.health >= 0 && body.health <= 100)) throw field("health", "must be from 0 to 100");
    const settings = { ...settingsOf(found[0], state), ...body };
    state.settings.set(found[0], settings);
    state.projects.find((one) => one.project_key === found[0]).name = settings.name;
    return [200, { success: true, project_key: found[0], settings }];
  }
  if (called("GET /v2/keys")) {
    needsAdmin();
    return [200, { success: true, count: state.keys.length, keys: state.keys }];
  }
  if (called("POST /v2/keys")) {
    if (!body.name) throw field("name", "must not be empty");
    const prefix = randomBytes(4).toString("hex");
    const expires_at = body.expires_in_days === null ? null : later(body.expires_in_days);
    state.keys.push({
      prefix,
      name: body.name,
      scopes: body.scopes,
      projects: body.projects,
      created_at: later(0),
      expires_at,
      revoked_at: null,
      last_used_at: null,
    });
    return [201, { success: true, prefix, api_key: `mrl_${prefix}${randomBytes(12).toString("hex")}`, expires_at }];
  }
  if ((found = called("DELETE /v2/key/{prefix}"))) {
    state.keys.find((one) => one.prefix === found[0]).revoked_at = later(0);
    return [200, { success: true, prefix: found[0], revoked: true }];
  }
  if (called("GET /v2/audit")) {
    needsAdmin();
    const entries = state.audit.filter(
      (one) =>
        (!query.get("object") || one.object.kind === query.get("object")) &&
        (!query.get("project") || one.project_key === query.get("project")),
    );
    return [200, { success: true, count: entries.length, entries, next_cursor: null }];
  }
  if (called("GET /v2/project/{key}/proposals") || called("GET /v2/project/{key}/experiment/{id}/proposals"))
    return [200, { success: true, proposals: [], next_cursor: null }];
  if (called("GET /v2/overview")) return [200, overview(query, me, state)];
  if (called("GET /v2/programme")) return [200, programme(state.experiments.length, query)];
  if ((found = called("GET /v2/project/{key}/experiment/{id}"))) {
    const item = experiment(found, state);
    return [200, { success: true, experiment: { ...data.details(item), ...item } }, { etag: `"${item.updated_at}"` }];
  }
  if ((found = called("GET /v2/project/{key}/experiment/{id}/distribution"))) {
    const shares = [
      { variant_id: "0", name: "Control", traffic_weight: 50, variant_status: "active" },
      { variant_id: "1", name: "Variant 1", traffic_weight: 50, variant_status: "active" },
    ];
    const answer = { test_id: Number(found[1]), traffic_allocation: 100, distribution_mode: "equal", is_mab: 0 };
    return [200, { success: true, ...answer, variants: shares }];
  }
  if (called("GET /v2/project/{key}/experiment/{id}/comments"))
    return [200, { success: true, total: 0, comments: [], next_cursor: null }];
  if ((found = called("GET /v2/project/{key}/experiment/{id}/watch")))
    return [200, { success: true, test_id: Number(found[1]), watching: false, watchers: 0 }];
  if (called("GET /v2/inbox/unread")) return [200, { success: true, unread: 0, newest_unread: null }];
  if (called("GET /v2/inbox")) return [200, { success: true, unread: 0, entries: [], next_cursor: null }];
  if (called("GET /v2/project/{key}/people")) return [200, { success: true, people: [], has_more: false }];
  if (called("GET /v2/project/{key}/experiment/{id}/history"))
    return [200, { success: true, revisions: [], next_cursor: null }];
  if ((found = called("GET /v2/project/{key}/experiment/{id}/conclusion")))
    return [200, { success: true, test_id: Number(found[1]), conclusion: null }];
  if ((found = called("PATCH /v2/project/{key}/experiment/{id}/status"))) {
    experiment(found, state).status = body.status;
    return [200, { success: true, test_id: Number(found[1]), status: body.status }];
  }
  if ((found = called("PATCH /v2/project/{key}/experiment/{id}/archive"))) {
    experiment(found, state).archived = body.archived;
    return [200, { success: true, test_id: Number(found[1]), archived: body.archived }];
  }
  if ((found = called("PATCH /v2/project/{key}/experiment/{id}"))) {
    Object.assign(experiment(found, state), body);
    return [200, { success: true, test_id: Number(found[1]) }];
  }
  if (called("GET /v2/project/{key}/hypotheses"))
    return [
      200,
      {
        success: true,
        count: 1,
        has_more: false,
        next_offset: 1,
        hypotheses: [{ hypothesis_id: 1, problem: "Shipping costs surprise people", solution: "", observation: "" }],
      },
    ];
  if (called("GET /v2/project/{key}/goals"))
    return [200, { success: true, count: 1, goals: [{ goal_profile_id: 1, goal_name: "Order", goal_key: "order" }] }];
  throw new Refused(404, "not_found", `The development server does not know ${method} ${path}.`);
}

const later = (days) => new Date(Date.now() + days * 86_400_000).toISOString();

function experiment([key, id], state) {
  const found = state.experiments.find((one) => one.project_key === key && String(one.test_id) === id);
  if (!found) throw new Refused(404, "not_found", "There is no such experiment.");
  return found;
}

function settingsOf(key, state) {
  const name = state.projects.find((one) => one.project_key === key)?.name;
  if (name === undefined) throw new Refused(404, "not_found", "There is no such project.");
  const first = {
    consent: "assumed",
    gpc: true,
    bots: false,
    health: 10,
    base: "",
    editors_have_code: false,
    approve_code: true,
    approve_live: false,
  };
  return { name, ...first, ...state.settings.get(key) };
}

const STATUS = { draft: 9, live: 1, inactive: 0 };
const RANK = {
  verdict: ["do_not_trust", "loss", "win", "no_difference", "keep_running"],
  health: ["fail", "warn", "ok", "unknown"],
};

function overview(query, me, state) {
  const several = (name) => query.get(name)?.split(",");
  const search = query.get("search")?.toLowerCase();
  const archived = query.get("archived") ?? "exclude";
  const sees = new Set(sessionOf(me, state).projects.map((one) => one.project_key));
  const all = state.experiments.filter(
    (one) =>
      sees.has(one.project_key) &&
      (!search ||
        `${one.test_name} ${one.experiment_key} ${one.tags} #${one.test_id}`.toLowerCase().includes(search)) &&
      (!several("status") || several("status").some((word) => STATUS[word] === one.status)) &&
      (!several("verdict") || several("verdict").includes(one.verdict ?? "unknown")) &&
      (!several("health") || several("health").includes(one.health)) &&
      (!several("outcome") || several("outcome").includes(one.outcome ?? "none")) &&
      (!several("project") || several("project").includes(one.project_key)) &&
      (!query.get("tag") || one.tags.includes(query.get("tag"))) &&
      (!query.get("owner") ||
        one.owner.id === (query.get("owner") === "me" ? String(me.person_id) : query.get("owner"))) &&
      (archived === "include" || (archived === "only") === one.archived),
  );
  const sort = query.get("sort") ?? "-last_change";
  const name = sort.replace("-", "");
  const value = (one) =>
    name === "last_change" ? one.last_change.at : RANK[name] ? RANK[name].indexOf(one[name]) : one[name];
  all.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return (x < y ? -1 : x > y ? 1 : a.test_id - b.test_id) * (sort.startsWith("-") ? -1 : 1);
  });
  const from = Number(query.get("cursor") ?? 0);
  const limit = Math.min(Number(query.get("limit") ?? 50), 500);
  const next = from + limit;
  return {
    success: true,
    total: all.length,
    items: all.slice(from, next),
    next_cursor: next < all.length ? String(next) : null,
  };
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
