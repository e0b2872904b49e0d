/** Address that the page may link to. User text that is not `http:` or `https:` is never a link. */
export function webAddress(text: string): string | undefined {
  try {
    const { protocol, href } = new URL(text);
    return protocol === "http:" || protocol === "https:" ? href : undefined;
  } catch {
    return undefined;
  }
}
