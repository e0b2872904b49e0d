// What is typed between the keys that open the palette and its field being there. The palette is loaded when it is needed, and whoever
// presses its keys types on: without this, the field behind would get the first letters.

export interface TypedAhead {
  /** Ends it, and gives back what was typed meanwhile. */
  take: () => string;
}

/** Keeps keys from the page until `take` is called, or somebody clicks or presses Escape, which calls `cancel`. */
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
