// Buttons, and links that look like them. A page or a dialog has at most one primary button.

import { createLink, type LinkComponent } from "@tanstack/react-router";
import { type ComponentProps, forwardRef, type ReactNode } from "react";
import { names } from "~/lib/names";
import { Icon, type IconName } from "./icon";

type Kind = "primary" | "plain" | "quiet" | "danger";

const KINDS: Record<Kind, string> = {
  primary: "bg-accent-fill text-on-accent border-transparent hover:bg-accent-fill-strong",
  plain: "bg-panel text-ink border-edge hover:bg-sunken",
  quiet: "bg-transparent text-ink border-transparent hover:bg-sunken",
  danger: "bg-bad-fill text-on-accent border-transparent hover:brightness-90",
};

export function buttonClass(kind: Kind, small = false, square = false): string {
  return names(
    "inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap select-none no-underline",
    "transition-colors duration-100 disabled:opacity-50 aria-disabled:opacity-50",
    small ? "h-7 text-sm" : "h-8.5 text-base pointer-coarse:h-10",
    square ? (small ? "w-7" : "w-8.5 pointer-coarse:w-10") : small ? "px-2" : "px-3",
    KINDS[kind],
  );
}

export interface ButtonProps extends ComponentProps<"button"> {
  kind?: Kind;
  small?: boolean;
  icon?: IconName;
  /** True while the action runs: the button ignores clicks, and screen readers announce that it is busy. */
  isBusy?: boolean;
}

export function Button({
  kind = "plain",
  small,
  icon,
  isBusy = false,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || undefined}
      onClick={(event) => (isBusy ? event.preventDefault() : onClick?.(event))}
      className={names(buttonClass(kind, small, children == null), className)}
    >
      {isBusy ? <Spinner /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button with only an icon. Its label is for screen readers and the tooltip. */
export function IconButton({ label, ...rest }: Omit<ButtonProps, "children"> & { icon: IconName; label: string }) {
  return <Button kind="quiet" {...rest} aria-label={label} title={label} />;
}

export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="size-3.5 shrink-0 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  );
}

interface AnchorProps extends ComponentProps<"a"> {
  kind?: Kind;
  small?: boolean;
  icon?: IconName;
  children?: ReactNode;
}

const Anchor = forwardRef<HTMLAnchorElement, AnchorProps>(
  ({ kind = "plain", small, icon, className, children, ...rest }, ref) => (
    <a ref={ref} {...rest} className={names(buttonClass(kind, small), "print:hidden", className)}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  ),
);

/** A link to a page of the dashboard that looks like a button. */
export const ButtonLink: LinkComponent<typeof Anchor> = createLink(Anchor) as LinkComponent<typeof Anchor>;
