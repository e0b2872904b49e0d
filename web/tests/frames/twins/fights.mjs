// Scripts of pages that revert what an arm has changed, until the arm is given up.

import { turn } from "../world.mjs";
import { untranslated } from "../wrapping.mjs";
import { isWrapper } from "./side.mjs";

/** More than the script takes part in before it gives up, also where it changes several things. */
const ROUNDS_MAX = 200;

/**
 * Restores something as soon as it is missing, for the time of a task. Returns the number of times.
 *
 * @param {any} side
 */
async function insist({ page }, root, isMissing, restore) {
  let rounds = 0;
  const look = () => {
    if (rounds === ROUNDS_MAX || !isMissing()) return;
    rounds += 1;
    restore();
  };
  const observer = new page.win.MutationObserver(look);
  observer.observe(root, { childList: true, characterData: true, attributes: true, subtree: true });
  look();
  await turn();
  observer.disconnect();
  return rounds;
}

/** A script that keeps the content of an element. */
const content = (isMissing, restore, isAlways = true) => ({
  isFor: ({ html }, arms) => html !== undefined && (isAlways || !arms.some(({ near }) => near)),
  act: (side, [element], text) => {
    const made = side.page.make("em", text);
    return insist(
      side,
      element,
      () => isMissing(element, text, made),
      () => restore(element, text, made, side),
    );
  },
});

/** A script that keeps something about an element itself. */
const own = (isFor, isMissing, restore) => ({
  isFor,
  act: (side, [element], text) =>
    insist(
      side,
      element,
      () => isMissing(element, text),
      () => restore(element, text),
    ),
});

const parentOf = ({ item: { dir } }, element) => (dir === "p" ? element : element.parentNode);

/**
 * Scripts by name: whether they work against an arm of several, the nodes of the twin that they need besides the arm's element,
 * and what they do with them.
 *
 * @type {Record<string, { isFor: (arm: any, arms: any[]) => unknown, nodes?: (arm: any, element: any) => any[], act: (side: any, nodes: any, text: string, arm: any) => Promise<number> }>}
 */
export const FIGHTS = {
  "its HTML": content(
    (element, text) => ![...element.querySelectorAll("u")].some((each) => untranslated(each.textContent) === text),
    (element, text) => (element.innerHTML = `<u>${text}</u> and <i>more</i>`),
  ),
  "its text": content(
    (element, text) => untranslated(element.textContent) !== text,
    (element, text) => (element.textContent = text),
  ),
  "its nodes": content(
    (element, _, made) => !element.contains(made),
    (element, _, made) => element.replaceChildren(made, "!"),
  ),
  "its nodes one by one": content(
    (element, _, made) => !element.contains(made),
    (element, _, made) => {
      while (element.firstChild) element.removeChild(element.firstChild);
      element.appendChild(made);
    },
    // To remove an element that an arm has moved here from its parent removes it from the page.
    false,
  ),
  "a node more": content(
    (element) => !element.querySelector("u.more"),
    (element, text, _, { page }) => {
      const more = page.make("u", text);
      more.className = "more";
      element.append(more);
    },
  ),
  "its attributes": {
    isFor: ({ attributes }) => Object.keys(attributes)[0],
    nodes: () => [],
    act: (side, [element], text, arm) => {
      const names = Object.keys(arm.attributes);
      // An address that loads nothing.
      const value = `data:,${text}`;
      return insist(
        side,
        element,
        () => names.some((name) => element.getAttribute(name) !== value),
        () => names.forEach((name) => element.setAttribute(name, value)),
      );
    },
  },
  "its classes": own(
    ({ item }) => item.class,
    ({ className }) => className !== "k l",
    (element) => (element.className = "k l"),
  ),
  "its display": own(
    ({ block, item }) => block && item.target,
    ({ style }) => style.display !== "",
    ({ style }) => (style.display = ""),
  ),
  "its place": {
    isFor: ({ near }) => near,
    nodes: (_, { parentNode }) => [parentNode],
    act: (side, [element, parent]) =>
      insist(
        side,
        parent,
        () => [...parent.childNodes].find(({ nodeType }) => nodeType !== 8) !== element,
        () => parent.prepend(element),
      ),
  },
  "nothing of others": {
    isFor: ({ block }) => block,
    nodes: (arm, element) => [parentOf(arm, element)],
    act: (side, [, parent]) => {
      const foreign = () =>
        [...parent.childNodes].filter(
          (node) =>
            !side.numbers.has(node) &&
            !isWrapper(node) &&
            (node.nodeType === 1 ? !node.matches("u.more") : node.nodeType === 3 && /OURS/.test(node.data)),
        );
      return insist(
        side,
        parent,
        () => foreign()[0],
        () => foreign().forEach((node) => node.remove()),
      );
    },
  },
};
