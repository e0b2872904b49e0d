// The plain form of texts: docs/assignment-pages.md. These functions are small and pure, so each part that uses them
// has a copy.

/**
 * Percent-encodes every character outside `!` to `~`. Throws on an unpaired surrogate, which neither rulesets nor
 * locations contain.
 */
export const ascii = (text: string): string => text.replace(/[^!-~]+/gu, encodeURIComponent);

/** The text of a rule in plain form. `trim` would remove further characters. */
export const plainRule = (url: string): string => ascii(url.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, ""));

/** Returns whether a rule's text is a path on any host. */
export const isPath = (text: string): boolean => /^\/(?!\/)/.test(text);

/** Percent-escapes in capitals, so that they can be compared. */
export const withEqualEscapes = (text: string): string => text.replace(/%[\da-f]{2}/gi, (each) => each.toUpperCase());
