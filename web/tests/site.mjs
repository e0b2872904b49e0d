// @ts-nocheck: constructors take the fields of their classes from an object.
// A customer's site with the real script, and the real server's log of its visitors.

import assert from "node:assert/strict";
import { until } from "./engines/page.mjs";
import { html } from "./html.mjs";

/**
 * An event of the log in words: its type, what it is about, and the path of its page. Measures (`scroll`, `duration`)
 * go without their value, which may be more than was asked for.
 */
function said({ type, by, trigger, name, variant_id, url }) {
  return [type, by, variant_id ?? trigger ?? name, new URL(url).pathname].filter(Boolean).join(" ");
}

/** Shows when the server has responded to something that the page sent. */
const ANSWERED = `<script>
  const send = fetch;
  window.fetch = (...given) => send(...given).then((answer) => ((window.answered = true), answer));
</script>`;

/** What is told of the last page, see `settled`. */
const SETTLED = ["pageview /settled", "custom settled /settled"];

/** A site on the test's own server, in a project of its own with one experiment on all pages: Variant 1 reads `New`. */
export class Site {
  /**
   * `fields` are those of the experiment; it takes place on the page `start`, at least.
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
   * Sets what a path shows, with the script first in its head but for what is `before`; its title is the path. Gives back
   * the address.
   */
  page(path, body, head = "", before = "") {
    const script = `<script src="${this.project.server.url}/js/${this.project.key}.js"></script>`;
    return this.server.route(path, html({ title: path, head: before + ANSWERED + script + head, body }));
  }

  /** What the server decides for each of these visitors: its variant; null for those who do not take part. */
  async decided(visitors) {
    const contexts = visitors.map((targetingKey) => ({ targetingKey, url: this.server.url(this.start) }));
    const { assignments } = await this.project.call("POST", "/evaluate-many", { contexts });
    return assignments.map(([{ variant, in_experiment }]) => (in_experiment ? variant : null));
  }

  /**
   * Makes whoever looks at the site by this name of its host somebody who was there before, and is given this variant.
   * Gives back the id, which is another each time.
   */
  async become(page, variant, name = "") {
    this.free ??= Array.from({ length: 50 }, (_, at) => `visitor-${at}`);
    const decided = await this.decided(this.free);
    const [visitor] = this.free.splice(decided.indexOf(variant), 1);
    await page.goto(this.server.url("/nothing", name));
    await page.evaluate((id) => void (localStorage.muriel_id = id), visitor);
    return visitor;
  }

  /** What the log has of a visitor, in order and in words (see `said`), but for the health of pages. */
  async told(visitor) {
    const events = await this.project.events();
    return events.filter(({ visitor: { id }, type }) => id === visitor && type !== "health").map(said);
  }

  /** Waits until the page's first events are in the log, as they are before a visitor can do anything. */
  answered(page) {
    return page.waitFor("window.answered");
  }

  /** Waits until these words are among what the log has of a visitor. */
  has(visitor, ...words) {
    return until(`the log has ${words}`, async () => {
      const told = await this.told(visitor);
      return words.every((each) => told.includes(each));
    });
  }

  /** Goes to one more page, and waits until that is told: what was sent before, once or twice, is told too. */
  async settled(page, visitor, name = "") {
    await this.#last(page, name);
    await this.has(visitor, ...SETTLED);
  }

  /** Does so too, and finds these words and no others in what the log has of the visitor; looks only at those `wanted`. */
  async toldOnce(page, visitor, words, { name = "", wanted = () => true } = {}) {
    await this.#last(page, name);
    const expected = [...words, ...SETTLED].sort();
    let told;
    const isThere = async () => {
      told = (await this.told(visitor)).filter(wanted).sort();
      return told.length >= expected.length;
    };
    // What is missing is said below.
    await until("all is told", isThere).catch(() => {});
    assert.deepEqual(told, expected);
  }

  async #last(page, name) {
    await page.goto(this.server.url("/settled", name));
    await page.evaluate(() => muriel.push(["track", "settled"]));
    // Whoever leaves does not keep events waiting.
    await page.goto(this.server.url("/nothing", name));
  }

  /** The experiment's result; `query` as in `goal_key=one`. */
  result(query = "") {
    return this.project.call("GET", `/experiment/${this.test_id}/result?${query}`);
  }
}
