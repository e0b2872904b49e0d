// How much and how long. In a file without imports, so that the bundler writes the numbers where they are used.

/** Cookies: 400 days, the most that browsers keep. */
export const COOKIE_S = 34_560_000;
/** A visit ends half an hour after the last page or event. */
export const VISIT_MS = 1_800_000;
/** No page is hidden for longer. */
export const HIDDEN_MAX_MS = 1_000;
/** Changes of an arm of which is told whether they found anything. */
export const CHANGES_TOLD = 60;
/** How long after an arm is shown its selectors should have matched. */
export const SETTLED_MS = 5_000;

/** Arms that are remembered of a visitor. */
export const ARMS_MAX = 50;
/** Exposures of a visit that are remembered, and events that rules ask for. */
export const TOLD_MAX = 100;
export const EVENTS_MAX = 100;

/** Events that wait, those that are kept for the next page, and those in one request. */
export const QUEUE_MAX = 200;
export const KEPT_MAX = 50;
export const BATCH_MAX = 40;
/** Browsers refuse more than 65,536 bytes from a page that is left. */
export const BYTES_MAX = 60_000;
/** What the server takes as one event. */
export const EVENT_MAX = 32_768;
/** Characters of an address: an exposure has four, and all of it must fit. */
export const ADDRESS_MAX = 4_096;
/** How often sending is tried, and how often where nobody answers: that is mostly a blocker. */
export const TRIES_MAX = 6;
export const UNANSWERED_MAX = 3;

/** Names that the server takes at once, and characters of what is told of a visitor: each event is stored with all of it. */
export const NAMES_MAX = 100;
export const ABOUT_MAX = 8_000;

/** How long cookies are believed to be as they were. */
export const REREAD_MS = 1_000;
/** How long a page that stays believes its ruleset. */
export const RENEW_MS = 60_000;
/** How often is looked again at once because of what arms have told. */
export const ROUNDS_MAX = 10;
/** How often one experiment may send a tab on within ten seconds: a page that sends back would go round for ever. */
export const TURNS_MAX = 2;
export const TURN_MS = 10_000;

/** How long changes of the page are gathered, and how often is looked whether what is in view is still not to be seen. */
export const WAIT_MS = 250;
/** The seconds after which a page that shows all of itself at once counts as read. */
export const SETTLED_S = 5;
