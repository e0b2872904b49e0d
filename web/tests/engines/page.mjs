// @ts-nocheck: constructors take the fields of their classes from an object.
// Code that the three engines share: the interface of a page, and waiting for conditions.

import { setTimeout as pause } from "node:timers/promises";

/**
 * The timeout of a condition, in milliseconds.
 *
 * Long, as only failures take that long, and machines that run tests are often busy.
 */
export const CONDITION_TIMEOUT_MS = 60_000;

/**
 * Pauses between attempts, growing from the first to the last: attempts cost the browser, its driver and this process
 * CPU.
 */
const POLL_INTERVALS_MS = { first: 8, last: 50 };

/**
 * Calls `probe` until it returns a truthy value, and returns that.
 *
 * An error of `probe` counts as "not yet", as a page that is navigating cannot evaluate anything.
 *
 * @throws {Error} After `ms` milliseconds, with `what` and the result of the last attempt.
 */
export async function until(what, probe, ms = CONDITION_TIMEOUT_MS) {
  const end = performance.now() + ms;
  let interval = POLL_INTERVALS_MS.first;
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
    await pause(interval);
    interval = Math.min(interval * 1.3, POLL_INTERVALS_MS.last);
  }
}

/**
 * Converts a function or text to one JavaScript expression.
 *
 * A function is called with `args`, which are JSON values, and cannot use variables of the test. Text is an expression.
 */
export function expression(what, args = []) {
  if (typeof what === "function")
    return `(${what})(${args.map((arg) => JSON.stringify(arg) ?? "undefined").join(", ")})`;
  if (args.length > 0) throw new TypeError("only functions take arguments");
  return `(${what})`;
}

/** Scrolls to an element and returns the middle of its box in the window, or null while it has no box. */
const middleOf = (selector) => {
  const element = document.querySelector(selector);
  if (!element) return null;
  element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const [box] = element.getClientRects();
  return box?.width && box.height
    ? { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) }
    : null;
};

/** The identity of a page: a new document has another `origin`, a new history entry of the same document another `href`. */
const place = () => ({ origin: performance.timeOrigin, href: location.href, state: document.readyState });

const STATES = { commit: ["loading", "interactive", "complete"], dom: ["interactive", "complete"], load: ["complete"] };

/**
 * A page of one engine.
 *
 * Engines give `evaluated`, `mouse`, `keys`, `wheeled`, `screenshot`, `tab` and `close`, and `goto` or `navigate`.
 */
export class Page {
  /**
   * Evaluates in the page and returns a JSON value; promises are awaited; undefined becomes null.
   *
   * @throws {Error} The error that the page threw.
   */
  async evaluate(what, ...args) {
    return (await this.evaluated(expression(what, args))) ?? null;
  }

  /** Waits until `what` is truthy in the page, across navigations, and returns its value. */
  async waitFor(what, { ms = CONDITION_TIMEOUT_MS, args = [] } = {}) {
    const text = expression(what, args);
    return until(text, () => this.evaluated(text), ms);
  }

  /** Goes to `url`, and waits until its document is there (`commit`), parsed (`dom`) or loaded (`load`). */
  async goto(url, { until: state = "load", ms = CONDITION_TIMEOUT_MS } = {}) {
    await this.#moved(() => this.navigate(url), url, state, ms);
  }

  /** Goes back in the history as a visitor does, and waits until the page before is there. */
  async back({ until: state = "load", ms = CONDITION_TIMEOUT_MS } = {}) {
    // In a separate task, as the document may be gone before it can return the result.
    await this.#moved(() => this.evaluate("void setTimeout(() => history.back())"), "the page before", state, ms);
  }

  async #moved(move, what, state, ms) {
    const from = await this.evaluate(place);
    await move();
    await until(
      `${what} is there (${state})`,
      async () => {
        const at = await this.evaluated(expression(place));
        // A blank document is there for a moment before a page of another site.
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

  /** Presses a key in the focused element: a character or a name such as `Enter`, with modifiers as in `Shift+Tab`. */
  async press(key) {
    await this.keys(key.length > 1 ? key.split("+") : [key]);
  }

  /** Turns the mouse wheel by this many pixels, over an element or the middle of the window. The page scrolls later. */
  async wheel(deltaY, { selector, ms } = {}) {
    const middle = () => ({ x: Math.round(innerWidth / 2), y: Math.round(innerHeight / 2) });
    await this.wheeled(selector ? await this.#point(selector, ms) : await this.evaluate(middle), deltaY);
  }

  #point(selector, ms) {
    return this.waitFor(middleOf, { args: [selector], ms });
  }
}
