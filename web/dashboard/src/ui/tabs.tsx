// Tabs that are pages: each is a link with its own address. For tabs within a page, which are rare, use Base UI's.

import { createLink, type LinkComponent } from "@tanstack/react-router";
import { type ComponentProps, forwardRef, type ReactNode } from "react";

export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className="-mb-2 overflow-x-auto border-b border-line print:hidden">
      <div className="flex gap-1">{children}</div>
    </nav>
  );
}

const Anchor = forwardRef<HTMLAnchorElement, ComponentProps<"a">>((props, ref) => (
  <a
    ref={ref}
    {...props}
    className="-mb-px border-b-2 border-transparent px-2.5 py-2 font-medium whitespace-nowrap text-soft no-underline hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
  />
));

/** For tabs whose addresses differ only in the query. */
export const BY_SEARCH = {
  activeOptions: { exact: true, includeSearch: true, explicitUndefined: true },
  activeProps: { "aria-current": "page" },
} as const;

export const Tab: LinkComponent<typeof Anchor> = createLink(Anchor) as LinkComponent<typeof Anchor>;
