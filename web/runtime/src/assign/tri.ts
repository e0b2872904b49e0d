// Three-valued logic: docs/assignment.md. The values are numbers in this order, so that AND is the minimum, OR is the
// maximum, and `+` converts a boolean.

export type Tri = number;

export const NO = 0;
export const UNKNOWN = 0.5;
export const YES = 1;

/** AND over a list; `YES` for the empty list. */
export const allHold = <T>(list: readonly T[], answer: (each: T) => Tri): Tri => Math.min(YES, ...list.map(answer));

/** OR over a list; `NO` for the empty list. */
export const anyHolds = <T>(list: readonly T[], answer: (each: T) => Tri): Tri => Math.max(NO, ...list.map(answer));
