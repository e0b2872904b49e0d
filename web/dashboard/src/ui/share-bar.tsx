// A line of 100 percent, cut into shares. It is a picture beside the same numbers as text, so screen readers pass it.

import { names } from "~/lib/names";

export interface Share {
  key: string | number;
  /** Written into the share where there is room. */
  name: string;
  percent: number;
  /** Whose share it is: the one that others are compared with, another, or nobody's. */
  kind: "first" | "other" | "nobody";
}

const KINDS: Record<Share["kind"], string> = {
  first: "bg-sunken text-ink",
  other: "bg-accent-wash text-accent",
  nobody: "bg-panel text-soft",
};

/** Below it a name would be cut after a letter. */
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
