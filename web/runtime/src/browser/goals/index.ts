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
  const of = (type: string): string[] =>
    goals.flatMap(({ goal_type, goal_value }) => (goal_type === type ? `${goal_value}` : []));

  /** Tells of a measure of the page when it reaches what a goal asks for; 0 begins anew. */
  const gauge = (type: EventFields["type"], wanted: string[]) => {
    let told = 0;
    return (value: number): void => {
      if (wanted.some((goal) => +goal > told && +goal <= value)) take({ type, value: (told = value) });
      if (!value) told = 0;
    };
  };

  const done = new Set<string>();
  /** Tells of what the visitor did, once an action: a click can be several, which all come before the next task. */
  const tell: Tell = (type, trigger, by, href) => {
    const key = [type, by, href ?? trigger].join();
    if (done.has(key)) return;
    done.add(key);
    later(() => done.clear());
    // It may lead away.
    take({ type, by, trigger, href }, true);
  };

  const depths = of("scrolling");
  const seconds = of("duration");
  const reached = gauge("duration", seconds);
  const depth = depths[0] && watchDepth(gauge("scroll", depths));
  const time = watchTime([...seconds, ...(depth ? [SETTLED_S] : [])], (spent) => {
    reached(spent);
    if (depth && spent >= SETTLED_S) depth.measure();
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

export type Tell = (type: EventFields["type"], trigger: string, by?: string, href?: string) => void;
