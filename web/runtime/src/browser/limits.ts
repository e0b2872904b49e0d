// Limits and durations. The file has no imports, so that the bundler inlines the numbers.

/** 400 days, the longest time for which browsers keep a cookie. */
export const COOKIE_MAX_AGE_S = 34_560_000;
/** A session ends half an hour after the last page view or event. */
export const SESSION_TIMEOUT_MS = 1_800_000;
/** Maximum time for which elements are hidden. */
export const HIDING_TIMEOUT_MS = 1_000;
/** Maximum number of an arm's changes whose result is reported in `health` events. */
export const REPORTED_CHANGES_MAX = 60;
/** Maximum number of characters of an error message in a `health` event. */
export const ERROR_CHARS_MAX = 200;
/** Delay between showing an arm and reporting which of its selectors matched. */
export const REPORT_DELAY_MS = 5_000;
/** Time for which the script waits for a tool to appear on the page, and the interval at which it checks. */
export const TOOL_TIMEOUT_MS = 5_000;
export const TOOL_POLL_MS = 250;

/** Maximum number of a visitor's arms that are stored. */
export const ARMS_MAX = 50;
/** Maximum number of a session's exposures that are stored; also of announcements that are kept for later listeners. */
export const EXPOSURES_MAX = 100;
/** Maximum number of stored marks of notified tools in a visit: one for each experiment and tool. */
export const TOOL_MARKS_MAX = 300;
/** Maximum number of stored events that rules refer to. */
export const REMEMBERED_EVENTS_MAX = 100;

/** Maximum numbers of events in the queue, of those stored for the next page, and of those in one request. */
export const QUEUE_MAX = 200;
export const STORED_EVENTS_MAX = 50;
export const BATCH_MAX = 40;
/** Browsers refuse keepalive requests and beacons of more than 65,536 bytes. */
export const REQUEST_BYTES_MAX = 60_000;
/** The largest event that the server accepts. */
export const EVENT_BYTES_MAX = 32_768;
/** Maximum length of an address: an exposure has four addresses and must fit into `EVENT_BYTES_MAX`. */
export const URL_CHARS_MAX = 4_096;
/** Maximum number of attempts to send, and of attempts without any answer, which usually means a content blocker. */
export const ATTEMPTS_MAX = 6;
export const UNANSWERED_ATTEMPTS_MAX = 3;

/**
 * Maximum number of properties that the server accepts in one event, and of characters of the visitor's attributes,
 * which are stored with each event.
 */
export const PROPERTIES_MAX = 100;
export const ATTRIBUTES_CHARS_MAX = 8_000;

/** Time for which the cookie header is cached. */
export const COOKIE_CACHE_MS = 1_000;
/** Time after which a page that stays open renews its ruleset. */
export const RULESET_RENEWAL_MS = 60_000;
/** Maximum number of decisions that arms may trigger in a row while they are shown, for example by `identify`. */
export const DECISION_ROUNDS_MAX = 10;
/** Redirects of one experiment in a tab within the window: a page that redirects back would loop otherwise. After that the tab stays for a session's timeout. */
export const REDIRECTS_MAX = 2;
export const REDIRECT_WINDOW_MS = 10_000;

/** Debounce of DOM changes before elements are looked up, and the interval at which invisible elements are checked again. */
export const APPEARANCE_POLL_MS = 250;
/** Seconds after which a page that needs no scrolling counts as read. */
export const READ_AFTER_S = 5;
/** Layout shifts belong together within a gap and a session of these lengths, as in the definition of CLS. */
export const LAYOUT_GAP_MS = 1_000;
export const LAYOUT_SESSION_MS = 5_000;
/** Number of interactions that are kept to find a slow one: enough for 500 interactions on a page. */
export const SLOWEST_MAX = 10;
/** The largest duration that the server accepts as a measure of a page. */
export const VITAL_MS_MAX = 3_600_000;
