// Events as the server takes them; docs/visitors.md has their fields.

import type { Plain } from "../ruleset";

export interface EventFields {
  type:
    | "exposure"
    | "pageview"
    | "click"
    | "submit"
    | "appear"
    | "scroll"
    | "duration"
    | "script"
    | "custom"
    | "order"
    | "identify"
    | "health";
  [field: string]: unknown;
}

export type Properties = Record<string, Plain>;

/** Takes an event to be sent. `soon` is for those that may not wait: the page may be left at once. */
export type Take = (event: EventFields, soon?: boolean) => void;
