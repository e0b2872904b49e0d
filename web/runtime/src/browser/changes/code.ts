// Runs the JavaScript of experiments.

import { doc, listen, quietly, win } from "../world";
import { asOurs, addRule } from "./engine";
import { signed, trusted } from "./trust";
import { checkLoop } from "./turn";
import type { Undo } from "./undo";

type ErrorListener = (message: string) => void;
type CodeBody = (experiment: object, turn: () => void) => void;

/** Listeners for asynchronous errors, by the file name that their location contains. */
const sources = new Map<string, ErrorListener>();

const create = doc.createElement.bind(doc);

/** Number of asynchronous errors that may still be reported on this page. */
let reportsLeft = 5;

/** Set while a script element is added and its code has not started: an error then is a syntax error. */
let starting: ErrorListener | undefined;

function routeError(event: ErrorEvent & PromiseRejectionEvent): void {
  quietly(() => {
    const { filename, error, reason } = event;
    const message = event.message ?? String(reason);
    if (starting) return starting(message);
    // Firefox uses the `sourceURL` of inline scripts in stacks only, whose first line is the location.
    const place = filename ? filename + /.*/.exec(error?.stack) : reason.stack;
    sources.forEach((failed, name) => place.includes(name) && reportsLeft-- > 0 && failed(message));
  });
}

/**
 * Runs JavaScript as an inline script of the page, with the nonce of this script. Returns a function that runs the
 * code's cleanups and stops its waits.
 *
 * The code is the body of a function with `experiment` in scope: `about` with `waitFor(selector, call)`, which calls once with the
 * first match, now or later, and `onCleanup(call)`. `failed` gets errors that the code throws, also asynchronously (at most 5 times on a
 * page), syntax errors, and `blocked` when the page's policy forbids the code. `name` attributes asynchronous errors: no name may
 * be a suffix of another.
 */
export function runCode(source: string, name: string, about: object, failed: ErrorListener): Undo {
  const ends: (() => void)[] = [];
  const guarded = <T extends unknown[]>(call: (...values: T) => void, ...values: T): void => {
    try {
      call(...values);
    } catch (error) {
      // Authors of code look at the console first.
      quietly(() => console.error(error));
      quietly(() => failed(String(error)));
    }
  };
  const experiment = {
    ...about,
    waitFor(selector: string, call: (element: Element) => void): void {
      let met = false;
      const stop = addRule({
        _selector: selector,
        _isWide: selector.includes(">>>"),
        _keep: false,
        _lost() {},
        _done: new WeakSet(),
        _act(element) {
          if (met) return true;
          met = true;
          asOurs(() => guarded(call, element), false);
          return true;
        },
      });
      ends.push(stop);
    },
    onCleanup(call: () => void): void {
      ends.push(() => guarded(call));
    },
  };
  const file = name + ".js";
  if (!sources.size) {
    listen(win, "error", routeError);
    listen(win, "unhandledrejection", routeError);
  }
  sources.set(file, failed);

  const script = signed(create("script") as HTMLScriptElement);
  let why: string | undefined = "blocked";
  (script as unknown as { muriel: unknown }).muriel = (body: CodeBody) => {
    why = starting = undefined;
    guarded(body, experiment, checkLoop);
  };
  starting = (message) => {
    why = message;
  };
  try {
    script.text = trusted(
      "createScript",
      `document.currentScript.muriel(function(experiment,__muriel_turn){(function(){\n${source}\n}).call(window)})\n//# sourceURL=${file}`,
    );
    (doc.head || doc.documentElement).append(script);
  } catch (error) {
    why = String(error);
  }
  script.remove();
  starting = undefined;
  if (why) guarded(() => failed(why as string));
  return () =>
    ends
      .splice(0)
      .reverse()
      .forEach((end) => end());
}
