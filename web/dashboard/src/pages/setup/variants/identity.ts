import { useState } from "react";

/** Numbers for list items without a name. The same object, or one that was made from it, keeps its number. */
export interface Identity {
  of: (thing: object) => number;
  /** Gives `after` the number of `before`, from which it was made. */
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
