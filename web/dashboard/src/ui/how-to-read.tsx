// Explains how to read a picture or a table, for users who have not seen one before.

import type { ReactNode } from "react";
import { names } from "~/lib/names";
import { Icon } from "./icon";

export function HowToRead({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <details className={names("group", className)}>
      <summary className="inline-flex w-fit list-none items-center gap-1.5 rounded-sm text-sm font-medium text-accent">
        <Icon name="book" />
        How to read this
        <Icon name="chevronDown" className="size-3.5 group-open:rotate-180" />
      </summary>
      <div className="mt-2 flex max-w-160 flex-col gap-2 rounded-md bg-sunken px-3.5 py-3">{children}</div>
    </details>
  );
}
