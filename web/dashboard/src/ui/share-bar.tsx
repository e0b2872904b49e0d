// A bar of 100 percent that is divided into shares. The same numbers are next to it as text, so screen readers skip it.

import { names } from "~/lib/names";

export interface Share {
  key: string | number;
  /** Shown within the share if there is space. */
  name: string;
  percent: number;
  /** Owner of the share: the one that others are compared with, another one, or nobody. */
  kind: "first" | "other" | "nobody";
}

const KINDS: Record<Share["kind"], string> = {
  first: "bg-sunken text-ink",
  other: "bg-accent-wash text-accent",
  nobody: "bg-panel text-soft",
};

/** A smaller share would show only the first letter of its name. */
const NAMED_PERCENT = 10;

export function ShareBar({ shares, hasScale = false }: { shares: Share[]; hasScale?: boolean }) {
  return (
    <div aria-hidden="true" className="select-none">
      <div className="flex h-8 gap-px overflow-hidden rounded-md border border-edge bg-edge">
        {shares
          .filter(({ percent }) => percent > 0)
          .map(({ key, name, percent, kind }) => (
            <div
              key={key}
              style={{ flexGrow: percent }}
              className={names("min-w-0.5 basis-0 truncate text-center text-sm leading-8", KINDS[kind])}
            >
              {percent >= NAMED_PERCENT && <span className="px-1.5">{name}</span>}
            </div>
          ))}
      </div>
      {hasScale && (
        <div className="mt-0.5 flex justify-between text-xs text-soft">
          <span>0&nbsp;%</span>
          <span>100&nbsp;% of visitors</span>
        </div>
      )}
    </div>
  );
}
