// Shows an arm, with its style sheets, changes and code, and removes it.

import type { Change, Variant } from "../ruleset";
import { type AssignedArm, armDetail } from "./armed";
import type { Changes } from "./changes";
import { applyCss } from "./changes/sheet";
import { part } from "./parts";
import { scheduleReport } from "./reports";
import { whenActive } from "./route";
import { nameOf, settings } from "./settings";
import { leavePage, enterArm, announceArm, track, reportShown } from "./stage";
import { when, whenParsed } from "./trigger";
import { quietly, win } from "./world";

/**
 * Shows an arm once its trigger fires. Returns a function that removes it; with `route`, that function waits until the
 * next view is there. With `late`, the arm would change content that the visitor has already seen, so it is reported,
 * not shown.
 */
export function show(armed: AssignedArm, items: Change[], late: boolean): (route?: boolean) => void {
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
  let firstError: string | undefined;

  const failed = (message: string): void => {
    errors += 1;
    firstError ??= message;
    announceArm("error", armed, { message });
  };

  const start = (): void => {
    // If redirects cannot be counted, nobody is redirected, and so no visitor of any arm is counted.
    if (gone || (isSplit && quietly(() => win.sessionStorage.length) == null)) return;
    if (late && !word) return reportShown(armed, 0, 1, [], 0);
    const since = performance.now();
    const sendOn = isSplit && items[0] ? part("split")?.(items[0], nameOf(`r${test_id}_`), failed) : undefined;
    if (sendOn === null) {
      if (errors) reportShown(armed, 0, 0, [], errors, firstError);
      return;
    }
    whenActive(() => gone || enterArm(armed));
    if (sendOn) {
      leavePage();
      return sendOn();
    }
    for (const each of css) undo.push(applyCss(each));
    changes = engine?.apply(
      items,
      !modes.includes("once"),
      failed,
      modes.includes("hydrated") || (modes.includes("immediate") ? false : undefined),
      nameOf("f_"),
    );
    if (changes) undo.push(changes.undo);
    const took = performance.now() - since;
    const run = (): void => {
      for (const source of [experiment.custom_js, version?.customJS]) {
        if (source && !gone)
          undo.push(
            engine!.run(source, [settings.global, test_id, arm].join("-"), { ...armDetail(armed), track }, failed),
          );
      }
      scheduleReport(
        () =>
          gone ||
          reportShown(
            armed,
            took,
            0,
            changes?.missing() ?? [],
            errors,
            firstError,
            changes?.found((version as Variant | undefined)?.data),
          ),
      );
    };
    // Code queries elements, so it runs when the document is parsed. It runs last, as it may take long.
    if (modes.includes("early")) run();
    else whenParsed(run);
  };

  // A page that is only prerendered does not redirect.
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
