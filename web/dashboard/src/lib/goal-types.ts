// Goal types in words: when a visitor converts, what the value is, and an example.

import type { Schemas } from "~/api/query";

export type GoalType = Schemas["GoalType"];
export type GoalPurpose = Schemas["GoalPurpose"];

/** Kinds of values. The text is kept when another type with the same kind is chosen. */
type ValueKind = "address" | "selector" | "text" | "percent" | "seconds" | "name";

export interface GoalTypeWords {
  text: string;
  /** Phrase for what a goal with this value counts: `The event “signed-up”`. */
  counts: (value: string) => string;
  /** Completes the sentence "A visitor converts when…". */
  about: string;
  /** Label of the value. */
  value: string;
  example: string;
  kind: ValueKind;
  hint?: string;
  /** Code with which the page itself reports the goal. */
  code?: (value: string) => string;
}

export const GOAL_TYPE: Record<GoalType, GoalTypeWords> = {
  pageview: {
    text: "Address contains",
    counts: (value) => `Pages with “${value}” in their address`,
    about: "they view a page whose address contains the value",
    value: "Part of the address",
    example: "/thank-you",
    kind: "address",
  },
  pageviewExact: {
    text: "Address is",
    counts: (value) => `The page ${value}`,
    about: "they view exactly this page",
    value: "Whole address",
    example: "https://shop.example/thank-you",
    kind: "address",
  },
  pageviewWildcard: {
    text: "Address matches a pattern",
    counts: (value) => `Pages like ${value}`,
    about: "they view a page whose address fits the pattern",
    value: "Pattern",
    example: "https://shop.example/orders/*/done",
    hint: "* stands for any number of characters.",
    kind: "address",
  },
  pageviewRegex: {
    text: "Address matches a regular expression",
    counts: (value) => `Pages that match ${value}`,
    about: "they view a page whose address matches",
    value: "Regular expression",
    example: "/orders/\\d+/done$",
    hint: "At most 512 bytes, without look-around and back-references.",
    kind: "address",
  },
  clickOnElement: {
    text: "Click on an element",
    counts: (value) => `Clicks on ${value}`,
    about: "they click an element, also with the keyboard",
    value: "CSS selector of the element",
    example: ".product button.buy",
    kind: "selector",
  },
  clickOnText: {
    text: "Click on a text",
    counts: (value) => `Clicks on “${value}”`,
    about: "they click a link, button or label that reads exactly this",
    value: "Text of the link or button",
    example: "Add to basket",
    hint: "Upper and lower case make no difference, and neither do blanks.",
    kind: "text",
  },
  externalLink: {
    text: "Link to another site",
    counts: (value) => `Links to other sites with “${value}”`,
    about: "they follow a link to another site",
    value: "Part of the link's address",
    example: "paypal.com",
    kind: "address",
  },
  formSubmit: {
    text: "Form is submitted",
    counts: (value) => `Submits of ${value}`,
    about: "they submit a form",
    value: "CSS selector of the form",
    example: "form#newsletter",
    kind: "selector",
  },
  elementAppears: {
    text: "Element is seen",
    counts: (value) => `Views of ${value}`,
    about: "an element comes into view",
    value: "CSS selector of the element",
    example: ".order-confirmation",
    kind: "selector",
  },
  scrolling: {
    text: "Scroll depth",
    counts: (value) => `Pages of which ${value} % were in view`,
    about: "they have seen this much of a page",
    value: "Depth in percent",
    example: "75",
    kind: "percent",
  },
  duration: {
    text: "Time on a page",
    counts: (value) => `Pages that were viewed for ${value} s`,
    about: "a page was visible for this long",
    value: "Seconds",
    example: "30",
    kind: "seconds",
  },
  event: {
    text: "Event",
    counts: (value) => `The event “${value}”`,
    about: "an event of this name arrives",
    value: "Name of the event",
    example: "signed-up",
    hint: "Names are case-sensitive.",
    kind: "name",
    code: (name) => `window.muriel ??= [];\nmuriel.push(["track", ${JSON.stringify(name)}]);`,
  },
  revenue: {
    text: "Order",
    counts: (value) => `Orders named “${value}”, with their value`,
    about: "an order of this name arrives; its value counts",
    value: "Name of the order event",
    example: "purchase",
    hint: "Purchases that a page pushes to its data layer have the name purchase.",
    kind: "name",
    code: (name) =>
      `window.muriel ??= [];\nmuriel.push(["track", ${JSON.stringify(name)}, { value: 59.9, currency: "EUR", order_id: "A-77" }]);`,
  },
  script: {
    text: "Trigger in code",
    counts: (value) => `The trigger “${value}”`,
    about: "code of the page calls this trigger",
    value: "Name of the trigger",
    example: "tour-finished",
    kind: "name",
    code: (name) => `window.muriel ??= [];\nmuriel.push(["trigger", ${JSON.stringify(name)}]);`,
  },
};

/** Goal types, in the groups in which they are offered. */
export const GOAL_TYPE_GROUPS: readonly (readonly [name: string, types: readonly GoalType[]])[] = [
  ["A page is seen", ["pageview", "pageviewExact", "pageviewWildcard", "pageviewRegex"]],
  ["Something is done on a page", ["clickOnElement", "clickOnText", "externalLink", "formSubmit"]],
  ["A page is viewed", ["elementAppears", "scrolling", "duration"]],
  ["The page or a server reports it", ["event", "revenue", "script"]],
];

export const GOAL_PURPOSE: Record<GoalPurpose, { text: string; about: string }> = {
  sell: { text: "Sell", about: "Orders and revenue." },
  engage: { text: "Engage", about: "Use of the site." },
  generate: { text: "Generate", about: "Leads: sign-ups, enquiries." },
};

/** Returns whether pages detect this type only once the goal is saved, because they have to watch for it. */
export function isWatched(type: GoalType): boolean {
  return ["selector", "text", "percent", "seconds"].includes(GOAL_TYPE[type].kind) || type === "externalLink";
}

/** Returns whether the value of this type is a number. */
export function isMeasure(type: GoalType): boolean {
  return type === "scrolling" || type === "duration";
}

/** Phrase for what a goal counts. */
export function countsOf(goal: Pick<Schemas["Goal"], "goal_type" | "goal_value">): string {
  return GOAL_TYPE[goal.goal_type].counts(String(goal.goal_value));
}
