// Text that is typed between the keys that open the palette and the moment when its field exists. The palette is loaded
// on demand, and users type on after its keys. Without this, a field of the page would get the first letters.

export interface TypedAhead {
  /** Ends the capture. Returns the typed text. */
  take: () => string;
}

/** Captures keys until `take` is called, or the user clicks or presses Escape, which calls `cancel`. */
export function typedAhead(cancel: () => void): TypedAhead {
  let text = "";
  const end = () => {
    removeEventListener("keydown", onKey, true);
    removeEventListener("pointerdown", end, true);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.key === "Escape") {
      end();
      cancel();
    } else if (event.key === "Backspace") text = text.slice(0, -1);
    else if ([...event.key].length === 1) text += event.key;
  };
  addEventListener("keydown", onKey, true);
  addEventListener("pointerdown", end, true);
  return {
    take: () => {
      end();
      return text;
    },
  };
}
