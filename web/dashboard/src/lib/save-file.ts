// Hands a file to whoever is in front of the page.

/** Saves what is in the blob under a name, as a download. */
export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // Not at once: some browsers begin to read after the click was handled.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Characters of a name, without its ending. */
const MAX_NAME = 80;

/**
 * A name for a file from texts of people: letters and digits, whatever the language, with dashes between. Of a long first text there is
 * as much as the others leave room for, since they tell files of one thing apart.
 */
export function fileName([first = "", ...others]: string[], ending: string): string {
  const rest = dashed(others.join(" "), MAX_NAME);
  const room = rest === "" ? MAX_NAME : Math.max(0, MAX_NAME - 1 - Array.from(rest).length);
  const name = [dashed(first, room), rest].filter(Boolean).join("-");
  return `${name || "picture"}.${ending}`;
}

function dashed(text: string, most: number): string {
  const whole = text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "");
  return Array.from(whole).slice(0, most).join("").replace(/-+$/, "");
}
