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

/** A name for a file from texts of people: letters and digits, whatever the language, with dashes between. */
export function fileName(texts: string[], ending: string): string {
  const name = texts
    .join(" ")
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-");
  const short = Array.from(name)
    .slice(0, 80)
    .join("")
    .replaceAll(/^-+|-+$/g, "");
  return `${short || "picture"}.${ending}`;
}
