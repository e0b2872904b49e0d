/**
 * Capitalises the first letter, unless the first word is a name with its own spelling: `iOS`, `utm_campaign`,
 * `add_to_cart`.
 */
export function capital(text: string): string {
  const [first = ""] = text.split(/[\s,.:;!?]/, 1);
  const isName = /[A-Z_\d[\]/@-]/.test(first.slice(1)) && !/^[a-z]+(-[a-z]+)*$/.test(first);
  return isName ? text : text.charAt(0).toUpperCase() + text.slice(1);
}
