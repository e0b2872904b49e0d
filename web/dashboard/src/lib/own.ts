/** What an object has under a key itself: `constructor` and the like are not words of anything. */
export function own<T>(words: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(words, key) ? words[key] : undefined;
}
