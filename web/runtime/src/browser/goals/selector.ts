import { queryAll, quietly } from "../world";

// Taken from the prototype: a form field with the name `matches` shadows the method.
const { matches } = Element.prototype;

/**
 * Returns whether a node matches a selector, which may have the form `host >>> inner`; undefined if it is not valid.
 */
export const isNamed = (node: EventTarget | null, selector: string): boolean | undefined =>
  quietly(() =>
    selector.includes(">>>") ? queryAll(selector).includes(node as Element) : matches.call(node, selector),
  );
