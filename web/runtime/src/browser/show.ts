// An arm on the page: its style, its changes, its code; and the way back.

import type { Change, Variant } from "../ruleset";
import { type Armed, named } from "./armed";
import type { Changes } from "./changes";
import { applyCss } from "./changes/sheet";
import { part } from "./parts";
import { settled } from "./reports";
import { whenActive } from "./route";
import { nameOf, settings } from "./settings";
import { leave, meet, tell, track, went } from "./stage";
import { when, whenParsed } from "./trigger";
import { quietly, win } from "./world";

/**
 * Shows an arm once it is due; what comes back takes it away, on a `route` that is left when the next view is there. What is `late` would change what is seen already, and is not shown.
 */
export function show(armed: Armed, items: Change[], late: boolean): (route?: boolean) => void {
  const { _experiment: experiment, _arm: arm, _version: version } = armed;
  const { test_id, test_type, trigger_variant_change: word, dom_change_path: mode } = experiment;
  const isSplit = test_type === "split";
  const modes = (mode ?? "").split(" ");
  const engine = part("changes");
  const undo: (() => void)[] = [];
  const css = [experiment.custom_css, version?.customCSS].filter((each) => each) as string[];
  let changes: ReturnType<Changes["apply"]> | undefined;
  let gone = false;
  let errors = 0;

  const failed = (message: string): void => {
    errors += 1;
    tell("error", armed, { message });
  };

  const start = (): void => {
    // Where turns cannot be counted nobody is sent on, and so nobody of any arm is counted.
    if (gone || (isSplit && quietly(() => win.sessionStorage.length) == null)) return;
    if (late && !word) return went(armed, 0, 1, [], 0);
    const since = performance.now();
    const sendOn = isSplit && items[0] ? part("split")?.(items[0], nameOf("r" + test_id)) : undefined;
    if (sendOn === null) return;
    whenActive(() => gone || meet(armed));
    if (sendOn) {
      leave();
      return sendOn();
    }
    for (const each of css) undo.push(applyCss(each));
    changes = engine?.apply(
      items,
      !modes.includes("once"),
      failed,
      modes.includes("hydrated") || (modes.includes("immediate") ? false : undefined),
    );
    if (changes) undo.push(changes.undo);
    const took = performance.now() - since;
    const run = (): void => {
      for (const source of [experiment.custom_js, version?.customJS]) {
        if (source && !gone)
          undo.push(engine!.run(source, [settings.global, test_id, arm].join("-"), { ...named(armed), track }, failed));
      }
      settled(
        () =>
          gone ||
          went(
            armed,
            took,
            0,
            changes?.missing() ?? [],
            errors,
            changes?.found((version as Variant | undefined)?.data),
          ),
      );
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
    const isLeft =
      route &&
      quietly(() => {
        changes!.leave(css, end);
        return true;
      });
    if (!isLeft) end();
  };
}
