import type { Settle } from "./engine";

/** Settles what can be read and written: attributes, classes, declarations. What the page writes later is its new value. */
export function valueSlot<T>(read: () => T, write: (value: T) => void): Settle<T> {
  let own = read();
  let written = own;
  let last: unknown;
  return (edit) => {
    const current = read();
    const rewritten = `${current}` !== `${written}`;
    if (rewritten) own = current;
    if (!rewritten && last === edit) return false;
    last = edit;
    write(edit ? edit.value : own);
    written = read();
    return true;
  };
}

/** The words of a list of classes. */
export const words = (text: string | null): string[] => (text ?? "").split(/\s+/).filter(Boolean);

/**
 * Settles the classes of an element: of all edits, the later ones over the earlier; a name with `-` before it is taken away.
 *
 * The attribute is looked at as a whole: where one of our classes is gone, the page has written all of it anew.
 */
export function classSlot(element: Element): Settle<string> {
  let own = element.getAttribute("class");
  let text = own;
  let before: unknown;
  return (_last, edits = []) => {
    const now = element.getAttribute("class");
    if (now !== text) {
      const [is, was, theirs] = [words(now), words(text), words(own)];
      own = was.some((name) => !theirs.includes(name) && !is.includes(name))
        ? now
        : [
            ...is.filter((name) => theirs.includes(name) || !was.includes(name)),
            ...theirs.filter((name) => ![...was, ...is].includes(name)),
          ].join(" ");
    }
    let wanted = words(own);
    for (const { value } of edits) {
      for (const item of words(value)) {
        const name = item.replace(/^-/, "");
        wanted = wanted.filter((other) => other !== name);
        if (name === item) wanted.push(name);
      }
    }
    const next = edits[0] ? wanted.join(" ") : own;
    const isDone = edits[0] ? words(now).sort().join() === wanted.sort().join() : now === next;
    const isNew = before !== edits.length;
    before = edits.length;
    text = isDone ? now : next;
    if (isDone) return isNew;
    if (next == null) element.removeAttribute("class");
    else element.setAttribute("class", next);
    return true;
  };
}
