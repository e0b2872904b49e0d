/** Looks up an own property. Inherited ones such as `constructor` are undefined. */
export function own<T>(words: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(words, key) ? words[key] : undefined;
}
