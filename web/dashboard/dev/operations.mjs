// Operations of the development server, over data in memory. They do not implement the product's rules: only the real
// server refuses what the rules forbid.

import { randomBytes } from "node:crypto";
import * as data from "./data.mjs";
import { programme } from "./programme.mjs";
import { SCOPES } from "./state.mjs";

/** @import { Schemas } from "../src/api/query" */
/** @import { PublicHandlers, SignedInHandlers } from "./contract" */
/** @import { State } from "./state.mjs" */

export class Refused extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} message
   * @param {{ field: string, message: string }[]} fields
   */
  constructor(status, code, message, fields = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

/** @param {string} name @param {string} message */
const field = (name, message) => new Refused(400, "invalid_field", `${name} ${message}`, [{ field: name, message }]);
/** @param {number} days */
const later = (days) => new Date(Date.now() + days * 86_400_000).toISOString();
const success = /** @type {const} */ (true);

/** @type {PublicHandlers} */
export const PUBLIC = {
  "GET /v2/session/methods": (_, { needsFirstOwner }) => [
    200,
    { success, needs_first_owner: needsFirstOwner, password: true, passkeys: false, oidc: null },
  ],
  "POST /v2/session": ({ body }, state) => {
    const wrong = new Refused(401, "sign_in_failed", "the e-mail address, the password or the code is wrong");
    const person = state.people.find((one) => one.email === body.email.toLowerCase());
    if (!person || body.password.length < 12) throw wrong;
    if (person.has_totp && !body.totp)
      throw new Refused(401, "totp_needed", "a code of the authenticator is also required, as totp");
    if (person.has_totp && body.totp !== "123456") throw wrong;
    return [200, sessionOf(person, state), begun(person, state)];
  },
  "GET /v2/invitation/{token}": ({ path }) => {
    if (path.token === "owner") {
      const about = { purpose: /** @type {const} */ ("first_owner"), email: null, company: null };
      return [
        200,
        { success, ...about, role: "owner", takes: ["email", "name", "password", "company"], expires_at: later(1) },
      ];
    }
    if (path.token !== "join") throw new Refused(404, "not_found", "There is no such invitation.");
    const known = { email: "emmy@example.com", company: "Acme" };
    return [
      200,
      { success, purpose: "invitation", ...known, role: "editor", takes: ["name", "password"], expires_at: later(6) },
    ];
  },
  "POST /v2/invitation/{token}": ({ body }, state) => {
    if ((body.password ?? "").length < 12) throw field("password", "must have at least 12 characters");
    const person = {
      ...data.people[0],
      person_id: 100 + state.people.length,
      name: body.name ?? "",
      email: body.email ?? "emmy@example.com",
      has_totp: false,
    };
    state.people.push(person);
    return [201, sessionOf(person, state), begun(person, state)];
  },
};

/** @type {SignedInHandlers} */
export const SIGNED_IN = {
  "GET /v2/session": ({ me }, state) => [200, sessionOf(me, state)],
  "DELETE /v2/session": ({ headers }, state) => {
    state.sessions.delete(tokenOf(headers) ?? "");
    return [200, { success, signed_out: true }, { "set-cookie": "muriel=; Path=/; Max-Age=0" }];
  },

  "GET /v2/people": ({ me }, { people, invitations }) => {
    needsAdmin(me);
    return [200, { success, count: people.length, people, invitations }];
  },
  "POST /v2/invitation": ({ body, headers, me }, state) => {
    if (!body.email.includes("@")) throw field("email", "must be an e-mail address");
    const { email, role } = body;
    const projects = body.projects?.map((one) => ({ ...one, role: one.role ?? role })) ?? null;
    const invitation_id = Date.now();
    const expires_at = later(7);
    const invited = { invited_by: me.name, created_at: later(0), expires_at };
    state.invitations.push({ invitation_id, email, role, projects, ...invited });
    return [201, { success, invitation_id, link: `http://${headers.host}/invitation#join`, expires_at }];
  },
  "DELETE /v2/people/invitation/{invitation_id}": ({ path }, state) => {
    const invitation_id = Number(path.invitation_id);
    state.invitations = state.invitations.filter((one) => one.invitation_id !== invitation_id);
    return [200, { success, invitation_id, deleted: true }];
  },
  "PATCH /v2/person/{person_id}": ({ path, body }, state) => {
    const person = found(state.people.find((one) => String(one.person_id) === path.person_id));
    if (body.name === "") throw field("name", "must not be empty");
    Object.assign(person, body);
    return [200, { success, person }];
  },
  "DELETE /v2/person/{person_id}": ({ path }, state) => {
    const person_id = Number(path.person_id);
    state.people = state.people.filter((one) => one.person_id !== person_id);
    const mine = state.keys.filter((one) => one.created_by === person_id && one.revoked_at === null);
    for (const one of mine) one.revoked_at = later(0);
    const keys = mine.map(({ prefix, name }) => ({ prefix, name }));
    const ended = { sessions: 0, invitations: 0, password_links: 0, shares: 0, keys };
    return [200, { success, person_id, deleted: true, ended }];
  },
  "POST /v2/person/me/password": ({ body }) => {
    if (body.password.length < 12) throw field("password", "must have at least 12 characters");
    return [200, { success, revoked: 1 }];
  },
  "GET /v2/person/me/sessions": ({ headers }) => {
    const sessions = data.sessions(headers["user-agent"] ?? "");
    return [200, { success, count: sessions.length, sessions, refused: [] }];
  },
  "DELETE /v2/person/me/sessions": () => [200, { success, revoked: 1 }],
  "DELETE /v2/person/me/sessions/{session_id}": () => [200, { success, revoked: 1 }],
  "GET /v2/person/me/passkeys": () => [200, { success, count: 0, passkeys: [] }],
  "POST /v2/person/me/totp": () => {
    const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
    return [200, { success, secret, uri: `otpauth://totp/Muriel:ada?secret=${secret}&issuer=Muriel` }];
  },
  "POST /v2/person/me/totp/confirm": ({ body, me }) => {
    if (body.code !== "123456") throw field("code", "is wrong");
    me.has_totp = true;
    return [200, { success, recovery_codes: ["4F7K-99QD", "8WQ2-1MZX", "P0LS-7HTY"] }];
  },
  "POST /v2/person/me/totp/remove": ({ me }) => {
    me.has_totp = false;
    return [200, { success, removed: true }];
  },

  "GET /v2/projects": ({ me }, state) => {
    const { projects } = sessionOf(me, state);
    return [200, { success, count: projects.length, projects }];
  },
  "POST /v2/projects": ({ body }, state) => {
    if (!body.name.trim()) throw field("name", "must not be empty");
    const project_key = `prj_${randomBytes(11).toString("hex")}`;
    state.projects.push({ project_key, name: body.name });
    return [201, { success, project_key }];
  },
  "GET /v2/project/{project_key}/settings": ({ path: { project_key } }, state) => [
    200,
    { success, project_key, settings: settingsOf(project_key, state) },
  ],
  "PATCH /v2/project/{project_key}/settings": ({ path: { project_key }, body, me }, state) => {
    needsAdmin(me);
    const { health } = body;
    if (health !== undefined && !(health >= 0 && health <= 100)) throw field("health", "must be from 0 to 100");
    const settings = { ...settingsOf(project_key, state), ...body };
    state.settings.set(project_key, settings);
    found(state.projects.find((one) => one.project_key === project_key)).name = settings.name;
    return [200, { success, project_key, settings }];
  },
  "GET /v2/keys": ({ me }, { keys }) => {
    needsAdmin(me);
    return [200, { success, count: keys.length, keys }];
  },
  "POST /v2/keys": ({ body, me }, state) => {
    if (!body.name) throw field("name", "must not be empty");
    const prefix = randomBytes(4).toString("hex");
    const expires_at = body.expires_in_days == null ? null : later(body.expires_in_days);
    const { name, scopes, projects = null } = body;
    const unused = { created_at: later(0), created_by: me.person_id, expires_at, revoked_at: null, last_used_at: null };
    state.keys.push({ prefix, name, scopes, projects, ...unused });
    return [201, { success, prefix, api_key: `mrl_${prefix}${randomBytes(12).toString("hex")}`, expires_at }];
  },
  "DELETE /v2/key/{prefix}": ({ path: { prefix } }, state) => {
    found(state.keys.find((one) => one.prefix === prefix)).revoked_at = later(0);
    return [200, { success, prefix, revoked: true }];
  },
  "GET /v2/audit": ({ query, me }, { audit }) => {
    needsAdmin(me);
    const entries = audit.filter(
      (one) =>
        (!query.get("object") || one.object.kind === query.get("object")) &&
        (!query.get("project") || one.project_key === query.get("project")),
    );
    return [200, { success, count: entries.length, entries, next_cursor: null }];
  },

  "GET /v2/overview": ({ query, me }, state) => [200, overview(query, me, state)],
  "GET /v2/programme": ({ query }, state) => [200, programme(state.experiments.length, query)],
  "GET /v2/inbox": () => [200, { success, unread: 0, entries: [], next_cursor: null }],
  "GET /v2/inbox/unread": () => [200, { success, unread: 0, newest_unread: null }],

  "GET /v2/project/{project_key}/experiment/{test_id}": ({ path }, state) => {
    const item = experiment(path, state);
    return [200, { success, experiment: data.details(item) }, { etag: `"${item.updated_at}"` }];
  },
  "PATCH /v2/project/{project_key}/experiment/{test_id}": ({ path, body }, state) => {
    Object.assign(experiment(path, state), body);
    return [200, { success, test_id: Number(path.test_id) }];
  },
  "PATCH /v2/project/{project_key}/experiment/{test_id}/status": ({ path, body }, state) => {
    experiment(path, state).status = body.status;
    return [200, { success, test_id: Number(path.test_id), status: body.status, warnings: [] }];
  },
  "PATCH /v2/project/{project_key}/experiment/{test_id}/archive": ({ path, body }, state) => {
    experiment(path, state).archived = body.archived;
    return [200, { success, test_id: Number(path.test_id), archived: body.archived }];
  },
  "GET /v2/project/{project_key}/experiment/{test_id}/distribution": ({ path }) => {
    const half = { traffic_weight: 50, variant_status: /** @type {const} */ ("active") };
    const variants = [
      { variant_id: "0", name: "Control", ...half },
      { variant_id: "1", name: "Variant 1", ...half },
    ];
    const test_id = Number(path.test_id);
    return [200, { success, test_id, traffic_allocation: 100, distribution_mode: "equal", is_mab: 0, variants }];
  },
  "GET /v2/project/{project_key}/experiment/{test_id}/comments": () => [
    200,
    { success, total: 0, comments: [], next_cursor: null },
  ],
  "GET /v2/project/{project_key}/experiment/{test_id}/watch": ({ path }) => [
    200,
    { success, test_id: Number(path.test_id), watching: false, watchers: 0 },
  ],
  "GET /v2/project/{project_key}/experiment/{test_id}/history": () => [
    200,
    { success, revisions: [], next_cursor: null },
  ],
  "GET /v2/project/{project_key}/experiment/{test_id}/conclusion": ({ path }) => [
    200,
    { success, test_id: Number(path.test_id), conclusion: null },
  ],
  "GET /v2/project/{project_key}/experiment/{test_id}/proposals": () => [
    200,
    { success, proposals: [], next_cursor: null },
  ],

  "GET /v2/project/{project_key}/install": ({ path: { project_key } }, state) => {
    const snippet = `<script src="https://muriel.example/js/${project_key}.js"></script>`;
    const async_snippet = snippet.replace(" src", " async src");
    const seen = state.experiments.length > 0 ? later(0) : null;
    return [
      200,
      {
        success,
        project_key,
        snippet,
        async_snippet,
        last_script_fetch: seen,
        last_event: seen,
        pages: [],
        knows_places: true,
        knows_regions: true,
      },
    ];
  },
  "GET /v2/project/{project_key}/proposals": () => [200, { success, proposals: [], next_cursor: null }],
  "GET /v2/project/{project_key}/people": () => [200, { success, people: [], has_more: false }],
  "GET /v2/project/{project_key}/hypotheses": () => [
    200,
    {
      success,
      hypotheses: [data.hypothesis],
      count: 1,
      total: 1,
      limit: 50,
      offset: 0,
      has_more: false,
      next_offset: 1,
    },
  ],
  "GET /v2/project/{project_key}/goals": () => [200, { success, company_id: 1, count: 1, goals: [data.goal] }],
};

/** @template T @param {T | undefined} one @returns {T} */
function found(one) {
  if (one === undefined) throw new Refused(404, "not_found", "There is no such thing.");
  return one;
}

/** @param {Schemas["Person"]} me */
function needsAdmin(me) {
  if (!SCOPES[me.role].includes("admin")) throw new Refused(403, "forbidden", "Your role does not allow this.");
}

/** The token of a session. @param {import("node:http").IncomingHttpHeaders} headers */
export const tokenOf = (headers) => /(?:^|; )muriel=(\w+)/.exec(headers.cookie ?? "")?.[1];

/** @param {Schemas["Person"]} person @param {State} state @returns {Schemas["SessionAnswer"]} */
function sessionOf(person, state) {
  /** @param {string} key */
  const role = (key) =>
    person.projects === null ? person.role : person.projects.find((one) => one.project_key === key)?.role;
  return {
    success,
    person,
    role: person.role,
    company: "Acme",
    projects: state.projects.flatMap((one) => {
      const its = role(one.project_key);
      return its === undefined ? [] : [{ ...one, role: its, scopes: SCOPES[its] }];
    }),
    csrf: "csrf-token",
    expires_at: later(0.5),
  };
}

/** Header fields that start a session. @param {Schemas["Person"]} person @param {State} state */
function begun(person, state) {
  const token = randomBytes(16).toString("hex");
  state.sessions.set(token, person.person_id);
  return { "set-cookie": `muriel=${token}; Path=/; HttpOnly; SameSite=Lax` };
}

/** @param {{ project_key: string, test_id: string }} path @param {State} state */
function experiment({ project_key, test_id }, state) {
  return found(state.experiments.find((one) => one.project_key === project_key && String(one.test_id) === test_id));
}

/** @param {string} key @param {State} state @returns {Schemas["ProjectSettings"]} */
function settingsOf(key, state) {
  const { name } = found(state.projects.find((one) => one.project_key === key));
  return {
    name,
    consent: "assumed",
    gpc: true,
    bots: false,
    health: 10,
    base: "",
    keep_query: ["utm_*"],
    editors_have_code: false,
    approve_code: true,
    approve_live: false,
    visitors: "any",
    orders: "any",
    page_origins: [],
    stop_on_page_harm: true,
    ...state.settings.get(key),
  };
}

/** @type {Record<string, number>} */
const STATUS = { draft: 9, live: 1, inactive: 0 };
const VERDICTS = ["do_not_trust", "loss", "win", "no_difference", "keep_running"];
const HEALTHS = ["fail", "warn", "ok", "unknown"];

/** Sort keys. @type {Record<string, (one: Schemas["OverviewItem"]) => string | number | null | undefined>} */
const SORTS = {
  last_change: (one) => one.last_change?.at,
  verdict: (one) => VERDICTS.indexOf(one.verdict ?? ""),
  health: (one) => HEALTHS.indexOf(one.health),
  need: (one) => [needOf(one), -Date.parse(one.last_change?.at ?? one.created_at)].map((part) => part + 1e15).join(),
};

/** @param {Schemas["OverviewItem"]} one */
function needOf(one) {
  if (one.archived) return 9;
  if (one.outcome !== null) return 8;
  if (one.status === 1 && (one.health === "fail" || one.verdict === "do_not_trust")) return 0;
  if (one.status !== 9 && one.verdict === "win" && one.is_deploy !== 1) return 1;
  if (one.status !== 9 && (one.verdict === "loss" || one.verdict === "no_difference")) return 2;
  return one.status === 1 ? 5 : one.status === 9 ? 6 : 7;
}

/**
 * @param {URLSearchParams} query
 * @param {Schemas["Person"]} me
 * @param {State} state
 * @returns {Schemas["Overview"]}
 */
function overview(query, me, state) {
  /** @param {string} name */
  const several = (name) => query.get(name)?.split(",");
  /** @param {string} name @param {string | null | undefined} value */
  const isOneOf = (name, value) => several(name)?.includes(value ?? "") ?? true;
  /** @param {string} name @param {boolean} is */
  const isSo = (name, is) => query.get(name) === null || query.get(name) === String(is);
  const search = query.get("search")?.toLowerCase();
  const archived = query.get("archived") ?? "exclude";
  const sees = new Set(sessionOf(me, state).projects.map((one) => one.project_key));
  const owner = query.get("owner") === "me" ? String(me.person_id) : query.get("owner");
  const all = state.experiments.filter(
    (one) =>
      sees.has(one.project_key) &&
      (!search ||
        `${one.test_name} ${one.experiment_key} ${one.tags} #${one.test_id}`.toLowerCase().includes(search)) &&
      (several("status")?.some((word) => STATUS[word] === one.status) ?? true) &&
      isOneOf("verdict", one.verdict ?? "unknown") &&
      isOneOf("health", one.health) &&
      isOneOf("outcome", one.outcome ?? "none") &&
      isOneOf("project", one.project_key) &&
      (!query.get("tag") || one.tags.includes(query.get("tag") ?? "")) &&
      (!owner || one.owner?.id === owner) &&
      (archived === "include" || (archived === "only") === one.archived) &&
      isSo("served", one.is_deploy === 1) &&
      isSo("complete", one.outcome === null && one.status !== 9 && (one.status === 0 || one.days_left === 0)) &&
      isSo("waiting", false),
  );
  const sort = query.get("sort") ?? "-last_change";
  const name = sort.replace("-", "");
  /** @param {Schemas["OverviewItem"]} one */
  const value = (one) => SORTS[name]?.(one) ?? /** @type {Record<string, any>} */ (one)[name] ?? null;
  all.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return (x < y ? -1 : x > y ? 1 : a.test_id - b.test_id) * (sort.startsWith("-") ? -1 : 1);
  });
  const from = Number(query.get("cursor") ?? 0);
  const limit = Math.min(Number(query.get("limit") ?? 50), 500);
  const next = from + limit;
  return {
    success,
    total: all.length,
    items: all.slice(from, next),
    next_cursor: next < all.length ? String(next) : null,
  };
}
