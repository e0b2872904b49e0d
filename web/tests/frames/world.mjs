// Runs cases in frames of one page. Each case has its own documents, and none waits for a page to be opened.

/** Fails with `what` unless both are equal as JSON. */
export function equal(actual, expected, what = "") {
  const [is, wanted] = [actual, expected].map((value) => JSON.stringify(value) ?? "undefined");
  if (is !== wanted) throw new Error(`${what}${what && ": "}${is} instead of ${wanted}`);
}

/** Waits until the tasks that are queued now have run. */
export const turn = () =>
  new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => done(port1.close());
    port2.postMessage(0);
  });

const CONDITION_TIMEOUT_MS = 60_000;
/** Pause between probes: a busy loop would take the processor from the code that is waited for. */
const POLL_INTERVAL_MS = 5;

/** Waits until `probe` returns a truthy value, and returns that. */
export async function until(what, probe) {
  const end = performance.now() + CONDITION_TIMEOUT_MS;
  for (;;) {
    const value = probe();
    if (value) return value;
    if (performance.now() > end) throw new Error(`not within ${CONDITION_TIMEOUT_MS} ms: ${what}`);
    await new Promise((done) => setTimeout(done, POLL_INTERVAL_MS));
  }
}

/** Waits until the current state of the document has been painted. */
export const painted = (win) => new Promise((done) => win.requestAnimationFrame(() => win.requestAnimationFrame(done)));

/** Returns whether errors name their inline script. WebKit ignores `sourceURL` of inline scripts. */
export function areNamed(win) {
  const script = document.createElement.call(win.document, "script");
  script.text = "place = Error().stack\n//# sourceURL=named.js";
  win.document.body.append(script);
  script.remove();
  return win.place.includes("named.js");
}

/**
 * A document for a case: its window, functions that query it, the engine as `M`, and the `errors` that the page saw.
 */
function world(win, errors) {
  // The methods of our own document, as pages may redefine theirs.
  const $ = (selector) => document.querySelector.call(win.document, selector);
  return {
    win,
    errors,
    M: win.M,
    $,
    $$: (selector) => [...document.querySelectorAll.call(win.document, selector)],
    make: (tag, textContent = "") => Object.assign(document.createElement.call(win.document, tag), { textContent }),
    html: () => win.document.body.innerHTML,
    text: () => win.document.body.innerText.replace(/\s+/g, " ").trim(),
    css: (selector) => win.getComputedStyle($(selector)),
  };
}

/** Opens documents for one case, and removes them. */
class Frames {
  worlds = [];
  #elements = [];

  #frame(src = "about:blank") {
    const element = Object.assign(document.createElement("iframe"), { width: 800, height: 200, src });
    this.#elements.push(element);
    document.body.append(element);
    return element;
  }

  #known(it) {
    this.worlds.push(it);
    return it;
  }

  /**
   * Opens a document with this body and the engine, which reads the time from `clock` if that is given. With `isPlain` it
   * is a document without the engine. `before` is called with the document before the body is written. A body in parts is written part by part, as slow networks
   * deliver it; the last part comes together with the end of the document.
   *
   * @param {any} body
   * @param {{ before?: (it: any) => void, clock?: any, isPlain?: boolean }} options
   */
  open = async (body, { before, clock, isPlain } = {}) => {
    const { contentWindow: win, contentDocument: doc } = this.#frame();
    doc.open();
    doc.write("<!doctype html><title>t</title>");
    const errors = [];
    win.addEventListener("error", ({ message }) => errors.push(message));
    win.addEventListener("unhandledrejection", ({ reason }) => errors.push(String(reason)));
    if (clock) win.Date.now = clock;
    if (!isPlain) win.eval(await engine());
    const it = this.#known(world(win, errors));
    before?.(it);
    for (const [at, part] of [body].flat().entries()) {
      if (at > 0) await null;
      doc.write(part);
    }
    doc.close();
    await null;
    return it;
  };

  /** Loads a page of the server, as created by `html` and `strict`. */
  load = async (path) => {
    const element = this.#frame(path);
    await new Promise((done) => element.addEventListener("load", done));
    const { contentWindow: win } = element;
    return this.#known(world(win, win.seen.errors));
  };

  close() {
    for (const element of this.#elements) element.remove();
  }
}

/**
 * The timeout of a case, in milliseconds. It is longer than that of a condition, whose message says more, and shorter
 * than that of the test, whose message does not name the case.
 */
const CASE_TIMEOUT_MS = 90_000;

const late = () => new Promise((_, failed) => setTimeout(() => failed(new Error("out of time")), CASE_TIMEOUT_MS));

let text;
const engine = () => (text ??= fetch("/engine.js").then((answer) => answer.text()));

/**
 * Runs the cases whose names contain `only`, `together` at a time. `cases` is `{ name: async ({ open, load }) => … }`,
 * or a function that creates them from all settings. Returns the number of cases, and a line for each that failed. A
 * case also fails if its page saw an error that the case did not remove from `errors`.
 */
export async function run(cases, { together = 1, only = "", ...more } = {}) {
  const failures = [];
  const waiting = Object.entries(typeof cases === "function" ? cases(more) : cases).filter(([name]) =>
    name.includes(only),
  );
  const count = waiting.length;
  const work = async () => {
    for (let next; (next = waiting.shift()); ) {
      const [name, act] = next;
      const frames = new Frames();
      try {
        await Promise.race([act(frames), late()]);
        for (const { errors, win } of frames.worlds) {
          equal([...errors, ...(win.seen?.rejections ?? [])], [], "errors of the page");
        }
      } catch (error) {
        failures.push(`${name}: ${error.message}`);
      }
      frames.close();
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  return { count, failures };
}
