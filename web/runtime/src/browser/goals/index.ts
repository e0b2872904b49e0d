// What visitors do that only the page sees: told when a goal of the project asks for it.

import type { Goal } from "../../ruleset";
import type { EventFields, Take } from "../events";
import { later } from "../world";
import { watchAppearances } from "./appear";
import { watchClicks } from "./click";
import { watchDepth } from "./depth";
import { watchForms } from "./form";
import { watchTime } from "./time";

/** The seconds after which a page that shows all of itself at once counts as read. */
const SETTLED_S = 5;

/**
 * Watches for `goals` from now on. What comes back is to be called when a new page begins: its time, its depth and what
 * appears on it count anew.
 */
export function watch(goals: Goal[], take: Take): () => void {
  const of = (type: string): string[] => goals.flatMap(({ goal_type, goal_value }) => (goal_type === type ? `${goal_value}` : []));

  /** Tells of a measure of the page when it reaches what a goal asks for; 0 begins anew. */
  const gauge = (type: EventFields["type"], wanted: number[]) => {
    let told = 0;
    return (value: number): void => {
      if (wanted.some((goal) => goal > told && goal <= value)) take({ type, value: (told = value) });
      if (!value) told = 0;
    };
  };

  const done = new Set<string>();
  /** Tells of what an action of the visitor did, once: one click can be several, which all come before the next task. */
  const tell = (key: string, event: EventFields): void => {
    if (done.has(key)) return;
    done.add(key);
    later(() => done.delete(key), 0);
    // It may lead away.
    take(event, true);
  };

  const depths = of("scrolling").map(Number);
  const seconds = of("duration").map(Number);
  const reached = gauge("duration", seconds);
  const depth = gauge("scroll", depths);
  const measure = depths[0] ? watchDepth(depth) : () => {};

  watchClicks(of("clickOnElement"), of("clickOnText"), of("externalLink"), tell);
  watchForms(of("formSubmit"), tell);
  const appear = watchAppearances(of("elementAppears"), take);
  const time = watchTime(depths[0] ? [...seconds, SETTLED_S] : seconds, (spent) => {
    reached(spent);
    if (spent >= SETTLED_S) measure();
  });
  return () => {
    measure(true);
    time();
    appear();
  };
}
