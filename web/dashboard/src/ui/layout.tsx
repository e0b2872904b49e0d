// Parts of pages: header, card, empty state, facts.

import type { ReactNode } from "react";
import { names } from "~/lib/names";
import { Icon, type IconName } from "./icon";

/**
 * Column of a page. The content of `form` has the width of readable text, that of `list` the width of the window. Both
 * begin at the same edge.
 */
export function Page({ width = "list", children }: { width?: "form" | "list"; children: ReactNode }) {
  return (
    <div className="mx-auto w-full max-w-330 px-4 py-5 md:px-8 md:py-7 print:p-0">
      <div className={names("flex flex-col gap-5", width === "form" && "max-w-170")}>{children}</div>
    </div>
  );
}

interface HeaderProps {
  title: ReactNode;
  /** One sentence on the purpose of the page. */
  about?: ReactNode;
  /** Actions of the page, with at most one primary button. */
  actions?: ReactNode;
  /** Content above the title: a link to the parent page. */
  above?: ReactNode;
}

/** Header, with the only h1 of the page. `usePageTitle` sets the title of the document. */
export function PageHeader({ title, about, actions, above }: HeaderProps) {
  return (
    <header className="flex flex-col gap-1">
      {above && <div className="text-sm text-soft">{above}</div>}
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 max-w-160">
          <h1 tabIndex={-1} className="text-2xl font-semibold tracking-tight outline-none">
            {title}
          </h1>
          {about && <p className="mt-0.5 text-soft">{about}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2 print:hidden">{actions}</div>}
      </div>
    </header>
  );
}

/**
 * Heading of a part with its own address within a page, such as a tab. Navigation focuses it. Its text is only for
 * screen readers, because the tab shows the same.
 */
export function PartHeading({ children }: { children: ReactNode }) {
  return (
    <h2 tabIndex={-1} data-part-heading="" className="sr-only">
      {children}
    </h2>
  );
}

/** A collapsed card that has nothing to show yet: its title, and the reason. Opening it shows the empty tables. */
export function FoldedCard({ title, why, children }: { title: string; why: string; children: ReactNode }) {
  return (
    <section className="rounded-lg border border-line bg-panel">
      <details className="group">
        <summary className="flex list-none flex-wrap items-baseline gap-x-3 rounded-lg px-4 py-3 md:px-5">
          <h2 className="font-semibold">{title}</h2>
          <span className="min-w-0 flex-1 text-soft">{why}</span>
          <Icon name="chevronDown" className="size-3.5 self-center text-soft group-open:rotate-180" />
        </summary>
        <div className="border-t border-line">{children}</div>
      </details>
    </section>
  );
}

interface CardProps {
  title?: ReactNode;
  about?: ReactNode;
  actions?: ReactNode;
  /** Without padding: for tables, which have their own. */
  flush?: boolean;
  tone?: "plain" | "bad";
  children: ReactNode;
}

export function Card({ title, about, actions, flush = false, tone = "plain", children }: CardProps) {
  return (
    <section className={names("rounded-lg border bg-panel", tone === "bad" ? "border-bad" : "border-line")}>
      {title && (
        <div
          className={names(
            "flex flex-wrap items-start justify-between gap-3 px-4 pt-3.5 break-after-avoid md:px-5",
            flush && "pb-3",
          )}
        >
          <div className="min-w-0 max-w-150">
            <h2 className="text-lg font-semibold">{title}</h2>
            {about && <p className="text-soft">{about}</p>}
          </div>
          {actions}
        </div>
      )}
      {flush ? children : <div className="px-4 py-4 md:px-5">{children}</div>}
    </section>
  );
}

/** Empty state: explains why there is nothing yet, and what to do. */
export function Empty({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-14 text-center">
      <span className="mb-1 grid size-10 place-items-center rounded-full bg-sunken text-soft">
        <Icon name={icon} className="size-5" />
      </span>
      <h2 className="text-lg font-semibold">{title}</h2>
      {children && <div className="max-w-110 text-soft text-pretty">{children}</div>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  );
}

/** List of names with values. */
export function Facts({ facts }: { facts: [name: ReactNode, value: ReactNode][] }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-6 gap-y-1.5">
      {facts.map(([name, value], at) => (
        <div key={at} className="contents">
          <dt className="text-soft">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const NOTES = {
  info: ["border-line bg-sunken text-ink", "info"],
  caution: ["border-transparent bg-caution-wash text-caution", "warning"],
  bad: ["border-transparent bg-bad-wash text-bad", "warning"],
  good: ["border-transparent bg-good-wash text-good", "check"],
} as const;

/** A note within a page. For messages that appear later, use a toast or the role `alert`. */
export function Note({
  tone = "info",
  role,
  children,
}: {
  tone?: keyof typeof NOTES;
  role?: "alert" | "status";
  children: ReactNode;
}) {
  const [classes, icon] = NOTES[tone];
  return (
    <div role={role} className={names("flex gap-2.5 rounded-md border px-3 py-2.5", classes)}>
      <Icon name={icon} className="mt-0.75 size-4" />
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}
