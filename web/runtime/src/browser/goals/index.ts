// Records the visitor's actions that only the page can detect, for the goals of the project.

import type { Goal } from "../../ruleset";
import type { EventFields, Properties, RecordEvent } from "../events";
import { READ_AFTER_S } from "../limits";
import { listen, startTimer, win } from "../world";
import { watchAppearances } from "./appear";
import { watchClicks } from "./click";
import { watchDepth } from "./depth";
import { watchForms } from "./form";
import { watchTime } from "./time";

/**
 * Watches for `goals` from now on. Returns a function that has to be called on a new page: it resets time, scroll depth
 * and appearances.
 */
export function watch(goals: Goal[], take: RecordEvent): () => void {
  const of = (type: string): string[] =>
    goals.flatMap(({ goal_type, goal_value }) => (goal_type === type ? `${goal_value}` : []));

  /** Records a measure of the page when it reaches the value of a goal; 0 resets it. */
  const gauge = (type: EventFields["type"], wanted: string[]) => {
    let told = 0;
    return (value: number): void => {
      if (wanted.some((goal) => +goal > told && +goal <= value)) take({ type, value: (told = value) });
      if (!value) told = 0;
    };
  };

  const done = new Set<string>();
  /** Records an action once: one click can fire several events, all before the next task. */
  const tell: RecordAction = (type, trigger, more = {}) => {
    const key = [type, more.by, more.href ?? trigger].join();
    if (done.has(key)) return;
    done.add(key);
    startTimer(() => done.clear());
    // The action may leave the page, so it is sent at once.
    take({ type, trigger, ...more }, true);
  };

  // On a busy page the next click may come before the timer of the one before, as browsers prefer input.
  for (const type of ["pointerdown", "keydown"]) listen(win, type, () => done.clear());

  const depths = of("scrolling");
  const seconds = of("duration");
  const reached = gauge("duration", seconds);
  const depth = depths[0] && watchDepth(gauge("scroll", depths));
  const time = watchTime([...seconds, ...(depth ? [READ_AFTER_S] : [])], (spent) => {
    reached(spent);
    if (depth && spent >= READ_AFTER_S) depth.measure();
  });
  const appear = watchAppearances(of("elementAppears"), take);
  watchClicks(of("clickOnElement"), of("clickOnText"), of("externalLink"), tell);
  watchForms(of("formSubmit"), tell);
  return () => {
    if (depth) depth.anew();
    time();
    appear();
  };
}

/** The fields of an action other than its type and its trigger. */
interface ActionFields {
  by?: string;
  href?: string | undefined;
  url?: string;
  properties?: Properties;
}

export type RecordAction = (type: EventFields["type"], trigger: string, more?: ActionFields) => void;
