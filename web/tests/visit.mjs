// What suites of the script share: pages that carry it, and what was told of a visit.

import { html, NONCE } from "./html.mjs";
import { serve } from "./script.mjs";

export const tag = (src, more = "") => `<script nonce="${NONCE}" src="${src}" ${more}></script>`;
export const inline = (code) => `<script nonce="${NONCE}">${code}</script>`;

/** Headers of an answer that a page of another site may read. */
export const CORS = { "access-control-allow-origin": "*" };

/** A change, and what shows whether it is made. */
export const H1 = [{ target: "h1", innerText: "New" }];
export const heading = (page) => page.evaluate(() => document.querySelector("h1").textContent);

/** Targeting for these paths alone. */
export const at = (...paths) => ({ url_rule: paths.map((url) => ({ url, rule: "simple", allowed: true })) });

/** Keeps in `frames_` what each frame shows of an element, from the first on. */
export const WATCHING = inline(`
  const frames = (window.frames_ = []);
  (function look() {
    const element = document.querySelector("h1");
    // A frame may fall between a tag and its text.
    if (element && (element.textContent || document.readyState !== "loading")) {
      const { visibility, color } = getComputedStyle(element);
      frames.push(visibility === "hidden" ? "(hidden)" : element.textContent + (color === "rgb(255, 0, 0)" ? " in red" : ""));
    }
    requestAnimationFrame(look);
  })();`);

/** Puts the limit of hiding into the test's hands: it is over when `expire` is called, however slow the machine is. */
export const LIMIT = inline(`
  const wait = setTimeout;
  window.setTimeout = (call, ms, ...more) => (ms === 1000 ? ((window.expire = call), 0) : wait(call, ms, ...more));`);

/** Puts the time of day into the test's hands: `ahead(ms)` lets it pass. */
export const CLOCK = inline(`
  const now = Date.now;
  let passed = 0;
  Date.now = () => now() + passed;
  window.ahead = (ms) => void (passed += ms);`);

/**
 * Routes for pages with the script first in their head; gives back the script's address.
 *
 * @param {any} given
 * @param {string[]} paths
 * @param {any[]} experiments
 * @param {{ body?: string, before?: string, head?: string, [option: string]: any }} options
 */
export async function site(
  { server, other },
  paths,
  experiments,
  { body = "<h1>Old</h1>", before = "", head = "", ...options } = {},
) {
  const src = await serve(other, experiments, options);
  for (const path of paths) server.route(path, html({ head: before + tag(src) + head, body }));
  return src;
}

/** Events of a type, each once: what a page that is left has sent, the next page sends again, with the same id. */
export const of = (server, wanted) =>
  [...new Map(server.events.map((event) => [event.id, event])).values()].filter(({ type }) => type === wanted);

export const exposures = (server) => of(server, "exposure").map(({ test_id, variant_id }) => [test_id, variant_id]);

export const pathOf = ({ url }) => new URL(url).pathname;

/** All that was sent so far is there once this event is. That the page is online again makes it send at once. */
export async function settled({ page, other }) {
  const mark = `mark-${of(other, "custom").length}`;
  await page.evaluate((name) => {
    muriel.push(["track", name]);
    dispatchEvent(new Event("online"));
  }, mark);
  await other.received(({ events }) => events.some(({ name }) => name === mark));
}

/** Cookies of the page by name, without those of others. */
export const cookies = async (page) =>
  Object.fromEntries(
    (await page.evaluate("document.cookie"))
      .split("; ")
      .filter(Boolean)
      .map((each) => each.split("=")),
  );
