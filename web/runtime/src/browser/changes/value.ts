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
