// What the forms of rules share.

/** A form of one rule: it is given the rule as the API has it, and gives back another. */
export interface RuleProps<R> {
  rule: R;
  set: (rule: R) => void;
  /** The place of the rule in the experiment, such as `targeting.url_rule`: fields are named by theirs. */
  place: string;
  /** What the server says is wrong at a place, or within it. */
  problem: (place: string) => string | undefined;
}

/** The list with one item replaced, or taken out. */
export function replaced<T>(items: readonly T[], at: number, ...by: T[]): T[] {
  return items.toSpliced(at, 1, ...by);
}

/** Sets the focus to a field that is about to be on the page. */
export function focusSoon(selector: string): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(selector)?.focus());
}

export function fieldNamed(name: string): string {
  return `[name="${CSS.escape(name)}"]`;
}
