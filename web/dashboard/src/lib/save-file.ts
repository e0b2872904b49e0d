// Downloads of data that the page has.

/** Saves the blob under a name, as a download. */
export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // Not at once: some browsers start to read after the click was handled.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Maximum length of a file name in characters, without its extension. */
const MAX_NAME = 80;

/**
 * File name from user texts: letters and digits of any language, with dashes between. A long first text is cut to the
 * length that the others leave, because the others distinguish files of the same object.
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
