// Calendar days in a chosen time zone, independent of the browser's.

/**
 * Returns a function that gives the day of a time in `tz`, as the server writes it: an IANA name, or hours from UTC
 * such as `2`, `-3.5`, `+05:30`.
 */
export function dayIn(tz: string): (at: string) => string {
  const offset = /^([+-]?)(\d{1,2})(?::(\d{2})|\.(\d{1,2}))?$/.exec(tz.trim());
  if (offset) {
    const [, sign, hours, minutes = "0", part = "0"] = offset;
    const ahead = (Number(hours) + Number(minutes) / 60 + Number(`0.${part}`)) * (sign === "-" ? -1 : 1);
    return (at) => new Date(Date.parse(at) + ahead * 3_600_000).toISOString().slice(0, 10);
  }
  // Swedish dates have the format of ISO 8601.
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: isZone(tz) ? tz : "UTC",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  return (at) => format.format(new Date(at));
}

/** Returns whether the browser knows the zone. The server may know zones that the browser does not. */
function isZone(tz: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: tz });
    return true;
  } catch {
    return false;
  }
}
