import type { SettleSlot } from "./engine";

/**
 * Settles a value that can be read and written, such as an attribute. A value that the page writes later is its own.
 */
export function valueSlot<T>(read: () => T, write: (value: T) => void): SettleSlot<T> {
  let own = read();
  let written = own;
  let last: unknown;
  return (edit) => {
    const current = read();
    const rewritten = `${current}` !== `${written}`;
    if (rewritten) own = current;
    if (!rewritten && last === edit) return false;
    last = edit;
    write(edit ? edit._value : own);
    written = read();
    return true;
  };
}

/** The names in a list that is separated by white space. */
export const words = (text: string | null): string[] => (text ?? "").split(/\s+/).filter(Boolean);

/**
 * Settles the classes of an element: later edits override earlier ones; a name with the prefix `-` is removed.
 *
 * If one of our classes is missing, the page has rewritten the whole attribute.
 */
export function classSlot(element: Element): SettleSlot<string> {
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
    for (const { _value: value } of edits) {
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
