// Events as the server accepts them; docs/visitors.md lists their fields.

import type { Scalar } from "../ruleset";

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

export type Properties = Record<string, Scalar>;

/** Records an event. `soon` sends it at once, for events after which the page may be left. */
export type RecordEvent = (event: EventFields, soon?: boolean) => void;
