// Yes, no and unknown: docs/assignment.md. As numbers in this order, "all of them" is the least of the answers and "any of
// them" the greatest, and what is just true or false becomes one by `+`.

export type Tri = number;

export const NO = 0;
export const UNKNOWN = 0.5;
export const YES = 1;

/** All of them: yes when there are none. */
export function all<T>(list: readonly T[], answer: (each: T) => Tri): Tri {
  let least = YES;
  for (const each of list) least = Math.min(least, answer(each));
  return least;
}

/** Any of them: no when there are none. */
export function any<T>(list: readonly T[], answer: (each: T) => Tri): Tri {
  let greatest = NO;
  for (const each of list) greatest = Math.max(greatest, answer(each));
  return greatest;
}
