// The development server's data in memory.

import * as data from "./data.mjs";

/** @import { Schemas } from "../src/api/query" */

/** Scopes of each role. */
/** @type {Record<Schemas["RoleName"], Schemas["ScopeName"][]>} */
export const SCOPES = {
  viewer: ["read"],
  editor: ["read", "write", "evaluate"],
  admin: ["read", "write", "code", "evaluate", "admin"],
  owner: ["read", "write", "code", "evaluate", "admin"],
};

/** @typedef {ReturnType<typeof begin>} State */

/** @param {number} many Number of experiments. */
export function begin(many) {
  return {
    ...structuredClone({ people: data.people, invitations: data.invitations, keys: data.keys, audit: data.audit }),
    projects: [
      { project_key: data.SHOP, name: "Shop" },
      { project_key: data.BLOG, name: "Blog" },
    ],
    /** @type {Map<string, Partial<Schemas["ProjectSettings"]>>} */
    settings: new Map(),
    experiments: data.experiments(many),
    /** @type {Map<string, number>} Person ids by session token. */
    sessions: new Map(),
    needsFirstOwner: false,
    /** @type {string[]} Violations of the policy, as browsers report them. */
    reports: [],
    /** @type {string[]} Every request to the API. */
    requests: [],
    /** @type {string[]} Requests for operations that the server does not have. */
    unknown: [],
  };
}
