// An arm on the page: its style, its changes, its code; and the way back.

import type { Change } from "../ruleset";
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
  /** How it went: milliseconds that applying took, whether it was too late, selectors without a match, and how many scripts failed. */
  went(armed: Armed, apply_ms: number, late: number, missing: string[], errors: number): void;
  /** For the page's code, beside the experiment's names. */
  tools: object;
}

/** Shows an arm once it is due; what comes back takes it away. What is `late` would change what is seen already, and is not shown. */
export function show(armed: Armed, items: Change[], late: boolean, stage: Stage): () => void {
  const { experiment, arm, version } = armed;
  const { test_id, test_type, trigger_variant_change: word, dom_change_path: mode } = experiment;
  const isSplit = test_type === "split";
  const { engine, split } = stage;
  const undo: (() => void)[] = [];
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
    for (const css of [experiment.custom_css, version?.customCSS]) {
      if (css) undo.push(applyCss(css));
    }
    const changes = engine?.apply(items, mode !== "once", failed);
    if (changes) undo.push(changes.undo);
    const took = performance.now() - since;
    const run = (): void => {
      for (const source of [experiment.custom_js, version?.customJS]) {
        if (source && !gone) undo.push(engine!.run(source, [settings.global, test_id, arm].join("-"), { ...named(armed), ...stage.tools }, failed));
      }
      stage.settled(() => gone || stage.went(armed, took, 0, changes?.missing() ?? [], errors));
    };
    // Code looks for elements, so it comes when all of them are there; and last, as nobody knows how long it takes.
    if (mode === "early") run();
    else whenParsed(run);
  };

  // A page that is only prepared is not left for another one.
  undo.push(when(word, () => quietly(() => (isSplit ? whenActive(start) : start()))));
  return () => {
    gone = true;
    for (const back of undo.reverse()) quietly(back);
  };
}
