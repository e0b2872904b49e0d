import { useState } from "react";

/** Keeps things of a list apart that have no name of their own: the same object, or one that was made from it, has the same number. */
export interface Identity {
  of: (thing: object) => number;
  /** `after` is what became of `before`. */
  pass: (before: object, after: object) => void;
}

export function useIdentity(): Identity {
  const [identity] = useState(make);
  return identity;
}

function make(): Identity {
  const numbers = new WeakMap<object, number>();
  let next = 0;
  const of = (thing: object) => {
    const known = numbers.get(thing);
    if (known !== undefined) return known;
    next += 1;
    numbers.set(thing, next);
    return next;
  };
  return { of, pass: (before, after) => numbers.set(after, of(before)) };
}
