// @ts-nocheck: constructors take the fields of their classes from an object.
// A customer's site with the real script, and the real server's log of its visitors.

import assert from "node:assert/strict";
import { until } from "./engines/page.mjs";
import { html } from "./html.mjs";

/**
 * An event of the log as text: its type, its subject, and the path of its page. Measures (`scroll`, `duration`) are
 * without their value, which may be larger than the goal's.
 */
function said({ type, by, trigger, name, variant_id, url }) {
  return [type, by, variant_id ?? trigger ?? name, new URL(url).pathname].filter(Boolean).join(" ");
}

/** Shows when the server has responded to something that the page sent. */
const ANSWERED = `<script>
  const send = fetch;
  window.fetch = (...given) => send(...given).then((answer) => ((window.answered = true), answer));
</script>`;

/** The events of the last page, see `settled`. */
const SETTLED = ["pageview /settled", "custom settled /settled"];

/** A site on the test's server, with a new project and one experiment on all pages, whose Variant 1 shows `New`. */
export class Site {
  /**
   * Creates the site. `fields` are fields of the experiment, which applies at least to the page `start`.
   *
   * @param {any} given
   * @param {{ start?: string, [field: string]: any }} options
   */
  static async open({ server, muriel }, { start = "/", ...fields } = {}) {
    const site = Object.assign(new Site(), { server, start });
    site.project = await (await muriel()).project();
    const made = await site.project.experiment({
      experiment_key: "site",
      variants_data_key: "http://*",
      variants: [{ name: "Variant 1", data: [{ target: "h1", innerText: "New" }] }],
      ...fields,
    });
    site.test_id = made.test_id;
    server.route("/nothing", html());
    site.page("/settled", "");
    return site;
  }

  /**
   * Sets the page of a path, with the script first in its head, after `before`. Its title is the path. Returns the
   * address.
   */
  page(path, body, head = "", before = "") {
    const script = `<script src="${this.project.server.url}/js/${this.project.key}.js"></script>`;
    return this.server.route(path, html({ title: path, head: before + ANSWERED + script + head, body }));
  }

  /** The server's decisions for these visitors: the variant, or null for a visitor who does not take part. */
  async decided(visitors) {
    const contexts = visitors.map((targetingKey) => ({ targetingKey, url: this.server.url(this.start) }));
    const { assignments } = await this.project.call("POST", "/evaluate-many", { contexts });
    return assignments.map(([{ variant, in_experiment }]) => (in_experiment ? variant : null));
  }

  /**
   * Stores the id of a visitor who gets this variant, for this name of the site's host, so that the browser becomes a
   * returning visitor. Returns the id, which is a new one for each call.
   */
  async become(page, variant, name = "") {
    this.free ??= Array.from({ length: 50 }, (_, at) => `visitor-${at}`);
    const decided = await this.decided(this.free);
    const [visitor] = this.free.splice(decided.indexOf(variant), 1);
    await page.goto(this.server.url("/nothing", name));
    await page.evaluate((id) => void (localStorage.muriel_id = id), visitor);
    return visitor;
  }

  /** The visitor's events in the log, in order and as text (see `said`), without `health` events. */
  async told(visitor) {
    const events = await this.project.events();
    return events.filter(({ visitor: { id }, type }) => id === visitor && type !== "health").map(said);
  }

  /** Waits until the page's first events are in the log, as they would be before a visitor can act. */
  answered(page) {
    return page.waitFor("window.answered");
  }

  /** Waits until the log has these events of a visitor, as text. */
  has(visitor, ...words) {
    return until(`the log has ${words}`, async () => {
      const told = await this.told(visitor);
      return words.every((each) => told.includes(each));
    });
  }

  /**
   * Visits one more page, and waits until its events are in the log: events sent before, even twice, are there by then.
   */
  async settled(page, visitor, name = "") {
    await this.#last(page, name);
    await this.has(visitor, ...SETTLED);
  }

  /**
   * Like `settled`, and checks that the log has exactly these events of the visitor, as text, each once. Only events
   * that `wanted` accepts are compared.
   */
  async toldOnce(page, visitor, words, { name = "", wanted = () => true } = {}) {
    await this.#last(page, name);
    const expected = [...words, ...SETTLED].sort();
    let told;
    const isThere = async () => {
      told = (await this.told(visitor)).filter(wanted).sort();
      return told.length >= expected.length;
    };
    // The assertion below reports missing events.
    await until("all is told", isThere).catch(() => {});
    assert.deepEqual(told, expected);
  }

  async #last(page, name) {
    await page.goto(this.server.url("/settled", name));
    await page.evaluate(() => muriel.push(["track", "settled"]));
    // Leaving a page makes it send its events.
    await page.goto(this.server.url("/nothing", name));
  }

  /** The experiment's result; `query` is like `goal_key=one`. */
  result(query = "") {
    return this.project.call("GET", `/experiment/${this.test_id}/result?${query}`);
  }
}
