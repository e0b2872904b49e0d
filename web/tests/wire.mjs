// Validates events like Muriel, following crates/api/src/wire/event.rs. The suite `wire` compares the two.

const EVENTS_MAX = 500;
const EVENT_MAX = 32_768;
const TEXT_MAX = 8_192;

const isText = (least, most) => (value) => typeof value === "string" && value.length >= least && value.length <= most;
const isNumber = (least, most) => (value) => typeof value === "number" && value >= least && value <= most;
const isOneOf =
  (...words) =>
  (value) =>
    words.includes(value);
const isLike = (pattern) => (value) => typeof value === "string" && pattern.test(value);
const isTime = (value) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value));
const isId = (value) => Number.isSafeInteger(value) && value >= 1;
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isPlain = (value) =>
  isObject(value) &&
  Object.keys(value).length <= 100 &&
  Object.values(value).every((each) => each === null || typeof each !== "object");

const count = isNumber(0, 1e9);
const amount = isNumber(-1e15, 1e15);
const arm = { "test_id!": isId, "variant_id!": isLike(/^\d{1,3}$/) };

/** The fields of every event, and those of each type; `!` marks required fields. */
const EVENT = {
  "id!": isLike(/^(?!0{8}-0{4}-0{4}-0{4}-0{12})[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i),
  at: isTime,
  url: isText(1, TEXT_MAX),
  session: isText(0, 128),
  properties: isPlain,
};
const named = { "name!": isText(1, 128) };
const triggered = { "trigger!": isText(1, TEXT_MAX) };
const TYPES = {
  exposure: { ...arm, epoch: isId, context: isPlain },
  pageview: { "url!": isText(1, TEXT_MAX), referrer: isText(0, TEXT_MAX) },
  click: { "by!": isOneOf("element", "text", "link"), trigger: isText(0, TEXT_MAX), href: isText(0, TEXT_MAX) },
  submit: triggered,
  appear: triggered,
  script: triggered,
  scroll: { "value!": isNumber(0, 100) },
  duration: { "value!": isNumber(0, 1e7) },
  custom: { ...named, value: amount },
  order: {
    ...named,
    "value!": amount,
    "currency!": isLike(/^[A-Z]{3}$/),
    order_id: isText(0, 256),
    refund_of: isText(0, 256),
    quantity: count,
  },
  identify: { "attributes!": isPlain },
  health: {
    ...arm,
    apply_ms: count,
    hidden_ms: count,
    late: count,
    failed_selectors: count,
    errors: count,
    error_message: isText(1, 200),
    lcp_ms: isNumber(0, 3_600_000),
    cls: isNumber(0, 10_000),
    inp_ms: isNumber(0, 3_600_000),
    dropped: count,
    changes: isLike(/^[01-]{1,60}$/),
    integrations: isLike(/^[a-z0-9]+( [a-z0-9]+)*$/),
  },
};
const BODY = {
  sent_at: isTime,
  consent: isOneOf("granted", "denied", "unknown"),
  "visitor!": isObject,
  "events!": Array.isArray,
};
const VISITOR = { "id!": isText(1, 128), attributes: isPlain };

/** The invalid fields of a value. */
const flaws = (value, asked) =>
  Object.entries(asked).flatMap(([word, fits]) => {
    const name = word.replace("!", "");
    if (value[name] === undefined) return word === name ? [] : [`${name} is required`];
    return fits(value[name]) ? [] : [`${name}: ${JSON.stringify(value[name])?.slice(0, 80)}`];
  });

function flawsOf(event, attributes) {
  if (!isObject(event)) return ["must be an object"];
  const isOfPage =
    event.type === "health" &&
    event.dropped !== undefined &&
    event.test_id === undefined &&
    event.variant_id === undefined;
  const known = isOfPage
    ? { dropped: count }
    : Object.hasOwn(TYPES, event.type)
      ? TYPES[event.type]
      : { "type!": () => false };
  const linked = event.type === "click" ? { [event.by === "link" ? "href!" : "trigger!"]: () => true } : {};
  const refund = event.type === "order" && event.refund_of && event.value >= 0 ? { refund_of: () => false } : {};
  const found = [...flaws(event, EVENT), ...flaws(event, known), ...flaws(event, linked), ...flaws(event, refund)];
  const bytes = Buffer.byteLength(JSON.stringify(event)) + Buffer.byteLength(JSON.stringify(attributes ?? {}));
  return bytes > EVENT_MAX ? [...found, `has ${bytes} bytes`] : found;
}

/** Values that the server would correct, but that the script has to correct itself. */
function odd(value, place = "") {
  if (typeof value === "string")
    return value.includes("\0") || !value.isWellFormed()
      ? [`${place} is not well-formed: ${JSON.stringify(value)}`]
      : [];
  if (typeof value === "number") return Math.abs(value) > 2 ** 53 ? [`${place} is beyond 2^53`] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...odd(name, `${place}: a key`),
    ...odd(inner, `${place}.${name}`),
  ]);
}

/** The errors of a batch as a whole, and of each of its events; empty lists if it is valid. */
export function judged(batch) {
  if (!isObject(batch)) return { whole: ["must be an object"], events: [] };
  const whole = [...flaws(batch, BODY), ...(isObject(batch.visitor) ? flaws(batch.visitor, VISITOR) : [])];
  const events = Array.isArray(batch.events) ? batch.events : [];
  if (events.length > EVENTS_MAX) whole.push(`events: ${events.length}`);
  return { whole, events: events.map((event) => flawsOf(event, batch.visitor?.attributes)), odd: odd(batch, "batch") };
}
