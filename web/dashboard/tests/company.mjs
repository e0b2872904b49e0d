// A company on the real server: its people, a project, and pages before it that are the ones just built.

import { front } from "../dev/front.mjs";
import { Muriel } from "../../tests/muriel.mjs";
import { PASSWORD } from "./rig.mjs";

/** Who is in every company, by role. */
export const PEOPLE = {
  owner: { name: "Ada Lovelace", email: "ada@example.com" },
  editor: { name: "Mary Somerville", email: "mary@example.com" },
  viewer: { name: "Charles Babbage", email: "charles@example.com" },
};

/**
 * - `address`: of the pages; `muriel.url` is that of the server.
 * - `shop`: the key of the project Shop.
 */
export class Company {
  static async start(options = []) {
    const company = new Company();
    company.muriel = await Muriel.start(options);
    try {
      await company.#found();
    } catch (error) {
      await company.end();
      throw error;
    }
    return company;
  }

  async #found() {
    this.front = await front(this.muriel.url);
    this.address = this.front.address;
    const [link] = await this.muriel.told(/http\S+\/invitation#\S+/);
    this.sessions = { owner: await this.#join(link, PEOPLE.owner) };
    this.shop = (await this.post("/v2/projects", { name: "Shop" })).project_key;
    // The owner's session of before has no project yet.
    for (const role of ["editor", "viewer"]) {
      const { link } = await this.post("/v2/invitation", { email: PEOPLE[role].email, role });
      this.sessions[role] = await this.#join(link, PEOPLE[role]);
    }
  }

  async #join(link, { name, email }) {
    const token = new URL(link).hash.slice(1);
    const path = `/v2/invitation/${token}`;
    const { takes } = await this.#answer(await fetch(this.muriel.url + path));
    const all = { name, email, password: PASSWORD, company: "Acme" };
    const body = Object.fromEntries(takes.map((field) => [field, all[field]]));
    const answer = await fetch(this.muriel.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", origin: this.muriel.url },
      body: JSON.stringify(body),
    });
    const { csrf } = await this.#answer(answer);
    return { cookie: answer.headers.get("set-cookie").split(";")[0], csrf };
  }

  async #answer(response) {
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text.slice(0, 500)}`);
    return JSON.parse(text);
  }

  /** One call of somebody's session; a path that does not begin with `/v2` is of the project Shop. What is refused is thrown. */
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
    return this.#answer(answer);
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

  /** Signs a visit in as somebody, without the form. */
  async enter(visit, as = "owner") {
    const [name, value] = this.sessions[as].cookie.split("=");
    await visit.context.addCookies([{ name, value, url: this.address, httpOnly: true, sameSite: "Lax" }]);
  }

  async end() {
    await this.front?.end();
    await this.muriel.stop();
  }
}
