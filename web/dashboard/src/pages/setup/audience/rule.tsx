// Common parts of the rule forms.

/** Properties of a form for one rule, which has the API's format. */
export interface RuleProps<R> {
  rule: R;
  set: (rule: R) => void;
  /** Path of the rule in the experiment, such as `targeting.url_rule`. The names of fields begin with it. */
  place: string;
  /** Returns the server's error at a path, or within it. */
  problem: (place: string) => string | undefined;
}

/** Returns the list with one item replaced by `by`, or removed. */
export function replaced<T>(items: readonly T[], at: number, ...by: T[]): T[] {
  return items.toSpliced(at, 1, ...by);
}

/** Focuses a field that is about to be rendered. */
export function focusSoon(selector: string): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(selector)?.focus());
}

export function fieldNamed(name: string): string {
  return `[name="${CSS.escape(name)}"]`;
}
