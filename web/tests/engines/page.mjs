// @ts-nocheck: constructors take the fields of their classes from an object.
// What the three engines share: the interface of a page, and waiting for what a page says.

import { setTimeout as pause } from "node:timers/promises";

/**
 * How long a condition may take before it counts as failed, in milliseconds.
 *
 * Long, as only failures wait for it: machines that run tests are often busy with other things too.
 */
export const PATIENCE_MS = 60_000;

const POLL_MS = 15;

/**
 * Asks `probe` until it answers with something truthy, and gives that back.
 *
 * What `probe` throws counts as "not yet": a page that is navigating answers nobody.
 *
 * @throws {Error} After `ms` milliseconds, with `what` and what the last attempt came to.
 */
export async function until(what, probe, ms = PATIENCE_MS) {
  const end = performance.now() + ms;
  let last;
  for (;;) {
    try {
      const value = await probe();
      if (value) return value;
      last = JSON.stringify(value);
    } catch (error) {
      last = error.message;
    }
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${what} (last: ${last})`);
    await pause(POLL_MS);
  }
}

/**
 * One expression in JavaScript for what a test wants evaluated.
 *
 * A function is called with `args`, which are JSON values; it sees nothing of the test around it. Text is an expression.
 */
export function expression(what, args = []) {
  if (typeof what === "function")
    return `(${what})(${args.map((arg) => JSON.stringify(arg) ?? "undefined").join(", ")})`;
  if (args.length > 0) throw new TypeError("only functions take arguments");
  return `(${what})`;
}

/** Scrolls to an element and gives the middle of its box in the window, or null as long as it has none. */
const middleOf = (selector) => {
  const element = document.querySelector(selector);
  if (!element) return null;
  element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const [box] = element.getClientRects();
  return box?.width && box.height
    ? { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) }
    : null;
};

/** Where a page is: a new document has another `origin`, a new entry of the same document another `href`. */
const place = () => ({ origin: performance.timeOrigin, href: location.href, state: document.readyState });

const STATES = { commit: ["loading", "interactive", "complete"], dom: ["interactive", "complete"], load: ["complete"] };

/**
 * A page of one engine.
 *
 * Engines give `evaluated`, `mouse`, `keys`, `wheeled`, `screenshot`, `tab` and `close`, and `goto` or `navigate`.
 */
export class Page {
  /**
   * Evaluates in the page and gives back a JSON value; promises are awaited; undefined comes back as null.
   *
   * @throws {Error} What the page threw.
   */
  async evaluate(what, ...args) {
    return (await this.evaluated(expression(what, args))) ?? null;
  }

  /** Waits until `what` is truthy in the page, through navigations, and gives back its value. */
  async waitFor(what, { ms = PATIENCE_MS, args = [] } = {}) {
    const text = expression(what, args);
    return until(text, () => this.evaluated(text), ms);
  }

  /** Goes to `url`, and waits until its document is there (`commit`), parsed (`dom`) or loaded (`load`). */
  async goto(url, { until: state = "load", ms = PATIENCE_MS } = {}) {
    await this.#moved(() => this.navigate(url), url, state, ms);
  }

  /** Goes back in the history as a visitor does, and waits until the page before is there. */
  async back({ until: state = "load", ms = PATIENCE_MS } = {}) {
    // Later, as the document that is asked may be gone before it can answer.
    await this.#moved(() => this.evaluate("void setTimeout(() => history.back())"), "the page before", state, ms);
  }

  async #moved(move, what, state, ms) {
    const from = await this.evaluate(place);
    await move();
    await until(
      `${what} is there (${state})`,
      async () => {
        const at = await this.evaluated(expression(place));
        // What is there for a moment where another site's page is to come.
        if (at.href === "about:blank") return false;
        return (at.origin !== from.origin || at.href !== from.href) && STATES[state].includes(at.state);
      },
      ms,
    );
  }

  /** Clicks the middle of the first element of a selector, once there is one with a box; `button`: left, middle, right. */
  async click(selector, { button = "left", ms } = {}) {
    await this.mouse(await this.#point(selector, ms), button);
  }

  /** Moves the mouse onto an element. */
  async hover(selector, { ms } = {}) {
    await this.mouse(await this.#point(selector, ms), null);
  }

  /** Clicks a field and types a text into it, key by key. */
  async type(selector, text, options) {
    await this.click(selector, options);
    for (const key of text) await this.keys([key]);
  }

  /** Presses a key where the focus is: a character, or a name as `Enter`, with modifiers before it as in `Shift+Tab`. */
  async press(key) {
    await this.keys(key.length > 1 ? key.split("+") : [key]);
  }

  /** Turns the mouse wheel by so many pixels, over an element or the middle of the window. Scrolling comes later. */
  async wheel(deltaY, { selector, ms } = {}) {
    const middle = () => ({ x: Math.round(innerWidth / 2), y: Math.round(innerHeight / 2) });
    await this.wheeled(selector ? await this.#point(selector, ms) : await this.evaluate(middle), deltaY);
  }

  #point(selector, ms) {
    return this.waitFor(middleOf, { args: [selector], ms });
  }
}
