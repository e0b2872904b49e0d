// A company on a real server: its people, a project, and a proxy in front of the server that serves the newly built
// pages.

import { front } from "../dev/front.mjs";
import { PASSWORD } from "./rig.mjs";

const NAMES = {
  owner: ["Ada Lovelace", "ada"],
  editor: ["Mary Somerville", "mary"],
  viewer: ["Charles Babbage", "charles"],
};

/**
 * - `muriel`: the server; `address` is that of the pages.
 * - `people`: name and email by role.
 * - `shop`: the key of the project that paths belong to: Shop, or the project that `another` has created.
 */
export class Company {
  /** Creates a company on a server that may have others. `number` makes its names and e-mail addresses unique. */
  static async found(muriel, number = 1) {
    const company = new Company();
    const email = (name) => `${name}@acme-${number}.example`;
    company.people = Object.fromEntries(
      Object.entries(NAMES).map(([role, [name, first]]) => [role, { name, email: email(first) }]),
    );
    company.muriel = muriel;
    company.front = await front(muriel.url);
    company.address = company.front.address;
    try {
      await company.#found(`Acme ${number}`);
    } catch (error) {
      await company.end();
      throw error;
    }
    return company;
  }

  async #found(name) {
    const { owner } = this.people;
    const added = ["--company", name, "--name", owner.name, "--email", owner.email, "--role", "owner", "--json"];
    const { link } = JSON.parse(await this.muriel.muriel("person", "add", ...added));
    this.sessions = { owner: await this.#join(link, owner) };
    this.shop = (await this.post("/v2/projects", { name: "Shop" })).project_key;
    for (const role of ["editor", "viewer"]) {
      const { link } = await this.post("/v2/invitation", { email: this.people[role].email, role });
      this.sessions[role] = await this.#join(link, this.people[role]);
    }
  }

  async #join(link, { name, email }) {
    const token = new URL(link).hash.slice(1);
    const url = `${this.muriel.url}/v2/invitation/${token}`;
    const { takes } = await answerOf(await fetch(url));
    const all = { name, email, password: PASSWORD };
    const body = Object.fromEntries(takes.map((field) => [field, all[field]]));
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", origin: this.muriel.url },
      body: JSON.stringify(body),
    });
    const { csrf } = await answerOf(answer);
    return { cookie: answer.headers.get("set-cookie").split(";")[0], csrf };
  }

  /** Creates another project. Returns a view of the company whose paths belong to it. */
  async another(name) {
    const { project_key } = await this.post("/v2/projects", { name });
    return Object.assign(new Company(), this, { shop: project_key });
  }

  /**
   * Calls the API with the session of `as`. A path that does not begin with `/v2` belongs to the project. Throws if the
   * call is not successful.
   */
  async call(method, path, body, { as = "owner", headers = {} } = {}) {
    const { cookie, csrf } = this.sessions[as];
    const whole = path.startsWith("/v2") ? path : `/v2/project/${this.shop}${path}`;
    const answer = await fetch(this.muriel.url + whole, {
      method,
      headers: {
        cookie,
        "x-muriel-csrf": csrf,
        origin: this.muriel.url,
        "content-type": "application/json",
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return answerOf(answer);
  }

  get(path, options) {
    return this.call("GET", path, undefined, options);
  }

  post(path, body, options) {
    return this.call("POST", path, body, options);
  }

  patch(path, body, options) {
    return this.call("PATCH", path, body, options);
  }

  /** Signs in a visit as `as`, without the form. */
  async enter(visit, as = "owner") {
    const [name, value] = this.sessions[as].cookie.split("=");
    await visit.context.addCookies([{ name, value, url: this.address, httpOnly: true, sameSite: "Lax" }]);
  }

  async end() {
    await this.front.end();
  }
}

async function answerOf(response) {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}
