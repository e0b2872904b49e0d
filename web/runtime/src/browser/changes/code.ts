// Customers' code.

import { doc, listen, quietly, win } from "../world";
import { asOurs, follow } from "./engine";
import { signed, trusted } from "./trust";
import { turn } from "./turn";
import type { Undo } from "./undo";

type Failed = (message: string) => void;
type Body = (experiment: object, turn: () => void) => void;

/** Whom errors of later are told, by what their place contains. */
const sources = new Map<string, Failed>();

const create = doc.createElement.bind(doc);

/** How many errors of later are still told on this page. */
let left = 5;

/** Told of errors while a script is being added and has not begun: it is not JavaScript. */
let starting: Failed | undefined;

function heard(event: ErrorEvent & PromiseRejectionEvent): void {
  quietly(() => {
    const { filename, error, reason } = event;
    const message = event.message ?? String(reason);
    if (starting) return starting(message);
    // Firefox gives inline scripts no file name of their own but in stacks, where the first line is the place.
    const place = filename ? filename + /.*/.exec(error?.stack) : reason.stack;
    sources.forEach((failed, name) => place.includes(name) && left-- > 0 && failed(message));
  });
}

/**
 * Runs JavaScript as an inline script of the page, with our nonce, and gives what ends it: its cleanups run and its waits stop.
 *
 * The code is the body of a function of its own and sees `experiment`: `about` with `waitFor(selector, call)`, which calls once with
 * the first match, now or later, and `onCleanup(call)`. `failed` hears what it throws, then and (at most 5 times on a page) later, why it is not
 * JavaScript, or `blocked` when the page's policy forbids it. `name` tells whose a later error is: no name may end with another.
 */
export function runCode(source: string, name: string, about: object, failed: Failed): Undo {
  const ends: (() => void)[] = [];
  const guarded = <T extends unknown[]>(call: (...values: T) => void, ...values: T): void => {
    try {
      call(...values);
    } catch (error) {
      // Whoever wrote it looks there first.
      quietly(() => console.error(error));
      quietly(() => failed(String(error)));
    }
  };
  const experiment = {
    ...about,
    waitFor(selector: string, call: (element: Element) => void): void {
      let met = false;
      const stop = follow({
        _selector: selector,
        wide: selector.includes(">>>"),
        keep: false,
        lost() {},
        _done: new WeakSet(),
        act(element) {
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
    listen(win, "error", heard);
    listen(win, "unhandledrejection", heard);
  }
  sources.set(file, failed);

  const script = signed(create("script") as HTMLScriptElement);
  let why: string | undefined = "blocked";
  (script as unknown as { muriel: unknown }).muriel = (body: Body) => {
    why = starting = undefined;
    guarded(body, experiment, turn);
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
