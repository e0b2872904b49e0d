// State of pages in the URL: plain query parameters, without JSON. The URL is user input, so routes read it with these
// functions and drop unknown values.

/** Parses the query as flat text. If a parameter is repeated, its last value counts. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** Leaves out empty values, so that a page without filters has a plain address. */
export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    const text = Array.isArray(value) ? value.join(",") : value == null || value === false ? "" : String(value);
    if (text !== "") query.set(name, text);
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** Text of at most 200 characters; undefined when empty. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined;
}

/** A whole number above 0, such as an id or a revision. */
export function id(value: unknown): number | undefined {
  const number = typeof value === "string" && /^[1-9]\d{0,14}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) > 0 ? (number as number) : undefined;
}

/** The value if it is one of the known words; else undefined. */
export function word<W extends string>(value: unknown, known: readonly W[]): W | undefined {
  return known.find((one) => one === value);
}

/** Known words from a comma-separated text, in the order of `known`; undefined without any. */
export function words<W extends string>(value: unknown, known: readonly W[]): W[] | undefined {
  const given = list(value);
  const found = known.filter((one) => given?.includes(one));
  return found.length > 0 ? found : undefined;
}

/** Texts from a comma-separated text. */
export function list(value: unknown): string[] | undefined {
  const texts = Array.isArray(value) ? value.map(String) : typeof value === "string" ? value.split(",") : [];
  const found = texts.map((one) => one.slice(0, 200)).filter((one) => one !== "");
  return found.length > 0 ? [...new Set(found)].slice(0, 100) : undefined;
}

/** Returns whether a value is a calendar day, such as `2026-11-05`. */
export function isDay(value: unknown): value is string {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const at = new Date(`${value}T00:00:00Z`);
  // JavaScript parses 31 June as 1 July.
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value);
}

/** Path of this application that is opened after the sign-in. Never another site. */
export function localPath(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^\/(?![/\\])/.test(value) || value.length > 2_000) return undefined;
  const url = new URL(value, location.origin);
  return url.origin === location.origin ? url.pathname + url.search + url.hash : undefined;
}
