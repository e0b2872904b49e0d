import { all, quietly } from "../world";

// Forms can have a field that is called as a method is.
const { matches } = Element.prototype;

/** Whether a selector, perhaps `host >>> inner`, names `node`. */
export const isNamed = (node: EventTarget | null, selector: string): boolean | undefined =>
  quietly(() => (selector.includes(">>>") ? all(selector).includes(node as Element) : matches.call(node, selector)));
