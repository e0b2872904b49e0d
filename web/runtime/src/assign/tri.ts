// Yes, no and unknown: docs/assignment.md. As numbers in this order, "all of them" is the least of the answers and "any
// of them" the greatest, and what is just true or false becomes one by `+`.

export type Tri = number;

export const NO = 0;
export const UNKNOWN = 0.5;
export const YES = 1;

/** All of them: yes when there are none. */
export const all = <T>(list: readonly T[], answer: (each: T) => Tri): Tri => Math.min(YES, ...list.map(answer));

/** Any of them: no when there are none. */
export const any = <T>(list: readonly T[], answer: (each: T) => Tri): Tri => Math.max(NO, ...list.map(answer));
