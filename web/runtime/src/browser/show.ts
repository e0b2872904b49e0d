// An arm on the page: its style, its changes, its code; and the way back.

import type { Change, Variant } from "../ruleset";
import { type Armed, named } from "./armed";
import type { Changes } from "./changes";
import { applyCss } from "./changes/sheet";
import { whenActive } from "./route";
import { nameOf, settings } from "./settings";
import type { split } from "./split";
import { when, whenParsed } from "./trigger";
import { quietly, win } from "./world";

/** What showing needs of the page's run. */
export interface Stage {
  /** There where the ruleset has changes or code. */
  engine: Changes | undefined;
  /** There where it has redirects. */
  split: typeof split | undefined;
  /** The visitor meets the arm now. */
  meet(armed: Armed): void;
  /** The page is left for another one. */
  leave(): void;
  /** Tells the listeners to events of this name. */
  tell(what: string, armed: Armed, more?: object): void;
  /** Calls what tells of how it went, once that can be told, and when the page is left at the latest. */
  settled(report: () => void): void;
  /**
   * How it went: milliseconds that applying took, whether it was too late, selectors without a match, how many scripts failed, and
   * of each of the arm's changes whether it found something: `1`, `0`, or `-` where it is not for this page.
   */
  went(armed: Armed, apply_ms: number, late: number, missing: string[], errors: number, changes?: string): void;
  /** For the page's code, beside the experiment's names. */
  tools: object;
}

/**
 * Shows an arm once it is due; what comes back takes it away, on a `route` that is left when the next view is there. What is `late` would change what is seen already, and is not shown.
 */
export function show(armed: Armed, items: Change[], late: boolean, stage: Stage): (route?: boolean) => void {
  const { experiment, arm, version } = armed;
  const { test_id, test_type, trigger_variant_change: word, dom_change_path: mode } = experiment;
  const isSplit = test_type === "split";
  const modes = (mode ?? "").split(" ");
  const { engine, split } = stage;
  const undo: (() => void)[] = [];
  const css = [experiment.custom_css, version?.customCSS].filter((each) => each) as string[];
  let changes: ReturnType<Changes["apply"]> | undefined;
  let gone = false;
  let errors = 0;

  const failed = (message: string): void => {
    errors += 1;
    stage.tell("error", armed, { message });
  };

  const start = (): void => {
    // Where turns cannot be counted nobody is sent on, and so nobody of any arm is counted.
    if (gone || (isSplit && quietly(() => win.sessionStorage.length) == null)) return;
    if (late && !word) return stage.went(armed, 0, 1, [], 0);
    const since = performance.now();
    const leave = isSplit && items[0] ? split?.(items[0], nameOf("r" + test_id)) : undefined;
    if (leave === null) return;
    whenActive(() => gone || stage.meet(armed));
    if (leave) {
      stage.leave();
      return leave();
    }
    for (const each of css) undo.push(applyCss(each));
    changes = engine?.apply(items, !modes.includes("once"), failed, modes.includes("hydrated") || (modes.includes("immediate") ? false : undefined));
    if (changes) undo.push(changes.undo);
    const took = performance.now() - since;
    const run = (): void => {
      for (const source of [experiment.custom_js, version?.customJS]) {
        if (source && !gone) undo.push(engine!.run(source, [settings.global, test_id, arm].join("-"), { ...named(armed), ...stage.tools }, failed));
      }
      stage.settled(() => gone || stage.went(armed, took, 0, changes?.missing() ?? [], errors, changes?.found((version as Variant | undefined)?.data)));
    };
    // Code looks for elements, so it comes when all of them are there; and last, as nobody knows how long it takes.
    if (modes.includes("early")) run();
    else whenParsed(run);
  };

  // A page that is only prepared is not left for another one.
  const wait = when(word, () => quietly(() => (isSplit ? whenActive(start) : start())));
  const end = (): void => {
    for (const back of undo.splice(0).reverse()) quietly(back);
  };
  return (route) => {
    gone = true;
    wait();
    if (!route || !quietly(() => (changes!.leave(css, end), true))) end();
  };
}
