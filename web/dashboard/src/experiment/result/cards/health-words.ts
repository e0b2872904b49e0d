// Words for each check of the data: its name, the cause of a failure, and the next step. The finding is the server's
// sentence.

export interface CheckWords {
  name: string;
  /** Usual cause; undefined if the server's sentence names it. */
  cause?: string;
  next: string;
}

export const CHECKS: Record<string, CheckWords> = {
  sample_ratio: {
    name: "Sample ratio",
    cause:
      "One variant loses visitors before they are counted: a redirect, an error or slow code in it, or exposures that only one variant sends. Or something other than the experiment decides who sees which variant.",
    next: "Look at the errors under “Pages of the variants”, and open each variant by its preview link. Repair it, and start again: waiting does not repair these numbers.",
  },
  crossovers: {
    name: "Visitors who met several variants",
    cause:
      "The visitor's id is lost or differs: cookies are deleted, there are several domains, or pages and servers use ids of their own.",
    next: "Use one id for a visitor everywhere. Then start again.",
  },
  minimum_data: {
    name: "Amount of data",
    cause: "Every experiment begins like this.",
    next: "Wait. Nothing is wrong.",
  },
  bots: {
    name: "Bots",
    cause: "Crawlers, monitoring or load tests visit the page.",
    next: "They are left out of every number. If this surprises you, check where they come from.",
  },
  before_start: {
    name: "Events dated before the start",
    cause: "A clock is wrong, or the test ran elsewhere before it was started here.",
    next: "Correct the clock. Events dated before the start are not counted.",
  },
  epochs: {
    name: "Changes of the split",
    cause: "Somebody changed weights while it ran.",
    next: "Nothing has to be done: each split is compared on its own. Fewer changes give narrower intervals.",
  },
  balance: {
    name: "Balance",
    cause: "Visitors of one kind are lost in a variant: it may break in one browser or on one kind of device.",
    next: "Break the result down by device and browser, and try the variant where the numbers differ.",
  },
  changes: {
    name: "Changes on the page",
    cause: "The page has changed since, or the element appears after the change has stopped waiting for it.",
    next: "Open the variant's preview, and pick the element again in the setup of the variants.",
  },
  other_nodes: {
    name: "Events on other servers",
    cause: "Another server runs on the same database, with an event log of its own.",
    next: "Run one server, or import the other one's event log.",
  },
  guardrails: {
    name: "Guardrails",
    cause: "The change has a side effect, or the page got slower or broke for some visitors.",
    next: "Look at the guardrails below, and weigh them before anything is served.",
  },
  event_log: {
    name: "Event log",
    cause: "A disk is damaged, or files were deleted by hand.",
    next: "Ask the operator of the server to run muriel log verify, and to restore a backup.",
  },
  currency: {
    name: "Currency of orders",
    next: "Send values in one currency, or give the project its currency rates.",
  },
  orders: {
    name: "Orders",
    cause:
      "A very large order, one that nobody really placed, or order numbers and amounts that a template does not fill in.",
    next: "Check these orders. You can set the largest plausible order for the goal.",
  },
  before_entry: {
    name: "Conversions just before entry",
    cause: "The clocks of the page and of a server differ, or one of them writes whole seconds.",
    next: "Send times with milliseconds, and send the exposure before the events that follow from it.",
  },
  prevented_submits: {
    name: "Submits that the page prevented",
    cause: "A script of the page sends the form itself, or found a mistake in the input.",
    next: "If the form checks its input, use a goal that counts what happens after a successful submit.",
  },
  lost_events: {
    name: "Events that pages lost",
    cause: "Amounts or currencies of orders cannot be read, or pages send events that are not valid.",
    next: "Listen for the script's error events on the page, and fix the problems that they name.",
  },
  unvouched: {
    name: "Visitors without a signature",
    cause:
      "Somebody invents visitors; or pages send events by themselves and do not repeat the signature of the answer; or a network has sent more than a hundred new visitors in an hour.",
    next: "Look for made-up visitors below, and exclude those that are not real, or count only signed visitors in the settings of the project. Send exposures with a key, or let pages send the signature.",
  },
  exclusions: {
    name: "Excluded visits",
    cause: "An exclusion of the project leaves out more visitors than are counted.",
    next: "Look at the exclusions in the settings of the project, and remove those that exclude too much.",
  },
  concentration: {
    name: "Verdicts without single networks",
    cause: "Visitors of one network behave differently from all others. They may be made up, or be your own.",
    next: "Look for made-up visitors below, and exclude those that are not real. Otherwise wait.",
  },
  interaction: {
    name: "Other experiments",
    cause: "Another experiment runs for the same visitors, and changes the effect of this one.",
    next: "Let one of them end first, or put both into an exclusion group.",
  },
  page: {
    name: "Page health",
    cause: "The code of a variant throws errors, comes late or slows the page down.",
    next: "“Pages of the variants” lists its errors, with page and browser. Open such a page by the variant's preview link, and repair the variant.",
  },
};

/** Returns the words for a check. A check that this version does not know has the server's name. */
export function checkWords(key: string): CheckWords {
  const words = key.replaceAll("_", " ");
  return CHECKS[key] ?? { name: words.charAt(0).toUpperCase() + words.slice(1), next: "Check it before you decide." };
}
