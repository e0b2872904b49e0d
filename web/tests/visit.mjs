// Code that suites of the script share: pages with the script, and the events of a visit.

import { html, NONCE } from "./html.mjs";
import { serve } from "./script.mjs";

export const tag = (src, more = "") => `<script nonce="${NONCE}" src="${src}" ${more}></script>`;
export const inline = (code) => `<script nonce="${NONCE}">${code}</script>`;

/** Headers that allow pages of other sites to read a response. */
export const CORS = { "access-control-allow-origin": "*" };

/** A change of the heading, and the text that shows whether it is made. */
export const H1 = [{ target: "h1", innerText: "New" }];
export const heading = (page) => page.evaluate(() => document.querySelector("h1").textContent);

/** Targeting for these paths only. */
export const at = (...paths) => ({ url_rule: paths.map((url) => ({ url, rule: "simple", allowed: true })) });

/** Records in `frames_` the state of the heading in each frame, from the first one on. */
export const RECORD_FRAMES = inline(`
  const frames = (window.frames_ = []);
  (async function look() {
    // A frame paints what mutation observers leave, and those of the parser's last nodes may not have been called yet.
    await null;
    const element = document.querySelector("h1");
    // The parser may yield between a tag and its text.
    if (element && (element.textContent || document.readyState !== "loading")) {
      const { visibility, color } = getComputedStyle(element);
      frames.push(visibility === "hidden" ? "(hidden)" : element.textContent + (color === "rgb(255, 0, 0)" ? " in red" : ""));
    }
    requestAnimationFrame(look);
  })();`);

/** The records of RECORD_FRAMES, once there is a frame: a busy engine may draw late. */
export async function frames(page) {
  await page.waitFor(() => frames_.length > 0);
  return page.evaluate("frames_");
}

/** Gives the test control over the timeout of hiding: it ends when `expire` is called, however slow the machine is. */
export const MANUAL_TIMEOUT = inline(`
  const wait = setTimeout;
  window.setTimeout = (call, ms, ...more) => (ms === 1000 ? ((window.expire = call), 0) : wait(call, ms, ...more));`);

/** Gives the test control over `Date.now`, which stands still: `ahead(ms)` advances it. */
export const MANUAL_CLOCK = inline(`
  let now = Date.now();
  Date.now = () => now;
  window.ahead = (ms) => void (now += ms);`);

/**
 * Gives the test control over time in a page: `Date.now` stands still, and timers of 100 ms and more wait for `elapse`,
 * see below. Shorter timers run by themselves.
 */
export const MANUAL_TIME = inline(`{
  const start = setTimeout;
  const clear = clearTimeout;
  const timers = new Map();
  let now = Date.now();
  // Not an id of the browser's own.
  let last = 1e9;
  Date.now = () => now;
  window.setTimeout = (call, ms = 0, ...given) => {
    if (ms < 100) return start(call, ms, ...given);
    timers.set((last += 1), { at: now + ms, run: () => call(...given) });
    return last;
  };
  window.clearTimeout = (id) => void (timers.delete(id) || clear(id));
  window.elapse = async (ms) => {
    const end = now + ms;
    for (;;) {
      // Short timers that are due run first, as they start others.
      await new Promise((done) => start(done));
      const due = [...timers].filter(([, { at }]) => at <= end).sort(([, one], [, other]) => one.at - other.at);
      if (due.length === 0) break;
      const [id, { at, run }] = due[0];
      timers.delete(id);
      now = at;
      run();
    }
    now = end;
  };
}`);

/**
 * Lets time pass in a page with MANUAL_TIME. Runs the timers that are due, in order, including those that they start.
 */
export const elapse = (page, ms) => page.evaluate((ms) => window.elapse(ms), ms);

/**
 * Adds routes for pages with the script first in their head, and returns the script's address.
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

/** Events of a type, each once: the next page sends events again, with the same ids, that were sent by beacons. */
export const of = (server, wanted) =>
  [...new Map(server.events.map((event) => [event.id, event])).values()].filter(({ type }) => type === wanted);

export const exposures = (server) => of(server, "exposure").map(({ test_id, variant_id }) => [test_id, variant_id]);

export const pathOf = ({ url }) => new URL(url).pathname;

/**
 * Waits until all events recorded so far have arrived, by recording one more. The event `online` makes the page send at
 * once.
 */
export async function settled({ page, other }) {
  const mark = `mark-${of(other, "custom").length}`;
  await page.evaluate((name) => {
    muriel.push(["track", name]);
    dispatchEvent(new Event("online"));
  }, mark);
  await other.received(({ events }) => events.some(({ name }) => name === mark));
}

/** Cookies of the page by name. */
export const cookies = async (page) =>
  Object.fromEntries(
    (await page.evaluate("document.cookie"))
      .split("; ")
      .filter(Boolean)
      .map((each) => each.split("=")),
  );
