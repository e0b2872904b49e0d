// Mentions in comments: the name that is being typed after an `@`, and the people whom a text mentions.

export interface Mentioned {
  person_id: number;
  name: string;
}

/** Text between an `@` and the caret, and the position of that `@`. */
export interface Typed {
  at: number;
  search: string;
}

/** Names can be longer, but nobody types more of one to find it. */
const TYPED_MAX = 40;
/** Maximum number of blanks in a typed name. With more of them, the text is a sentence. */
const BLANKS_MAX = 2;

/** Mention that is being typed at the caret; undefined if nothing is being mentioned. */
export function typedMention(text: string, caret: number): Typed | undefined {
  const before = text.slice(Math.max(0, caret - TYPED_MAX - 2), caret);
  const found = /(?:^|[^\p{L}\p{N}])@([^@\n]*)$/u.exec(before);
  const search = found?.[1];
  if (search === undefined || search.length > TYPED_MAX || /^\s/.test(search)) return undefined;
  if ((search.match(/\s/g)?.length ?? 0) > BLANKS_MAX) return undefined;
  return { at: caret - search.length - 1, search };
}

/** Replaces the typed text by the person's name. Returns the text and the new position of the caret. */
export function complete(text: string, { at, search }: Typed, name: string): { text: string; caret: number } {
  const rest = text.slice(at + 1 + search.length);
  const call = `@${name}${/^\s/.test(rest) ? "" : " "}`;
  return { text: text.slice(0, at) + call + rest, caret: at + call.length + (/^\s/.test(rest) ? 1 : 0) };
}

/** The people whom the text still mentions by `@` and their name. */
export function stillCalled<M extends Mentioned>(text: string, mentioned: readonly M[]): M[] {
  const lower = text.toLowerCase();
  return mentioned.filter(({ name }) => lower.includes(`@${name.toLowerCase()}`));
}

/** Splits a text into parts. A part that mentions somebody includes the person. */
export function parts(text: string, mentioned: readonly Mentioned[]): { text: string; person?: Mentioned }[] {
  if (mentioned.length === 0) return [{ text }];
  // If two names match, the longer one is meant.
  const byLength = [...mentioned].sort((a, b) => b.name.length - a.name.length);
  const names = byLength.map(({ name }) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  const calls = new RegExp(`(?<![\\p{L}\\p{N}])@(?:${names.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  const found: { text: string; person?: Mentioned }[] = [];
  let end = 0;
  for (const { 0: call, index } of text.matchAll(calls)) {
    const person = byLength.find(({ name }) => name.toLowerCase() === call.slice(1).toLowerCase());
    if (index > end) found.push({ text: text.slice(end, index) });
    found.push({ text: call, ...(person && { person }) });
    end = index + call.length;
  }
  if (end < text.length) found.push({ text: text.slice(end) });
  return found;
}
