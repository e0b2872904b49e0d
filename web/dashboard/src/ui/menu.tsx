// Menus of actions, and menus of checkboxes for filters.

import { Menu as Base } from "@base-ui/react/menu";
import { type ReactElement, type ReactNode, useRef } from "react";
import { names } from "~/lib/names";
import { Icon, type IconName } from "./icon";

const itemClass = names(
  "flex w-full items-center gap-2 rounded-sm px-2 py-1.25 pointer-coarse:py-2.5 text-left outline-none select-none no-underline",
  "data-highlighted:bg-accent-wash data-disabled:text-soft",
);

interface MenuProps {
  /** Button that opens the menu. */
  trigger: ReactElement;
  align?: "start" | "end";
  /** Element that gets the focus when the menu closes, if that is not the button. */
  focusAfter?: () => HTMLElement | null | undefined;
  children: ReactNode;
}

export function Menu({ trigger, align = "start", focusAfter, children }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  // An item may open a dialog. On a slow computer, the dialog has the focus before the menu is gone, and must keep it.
  const isInOtherDialog = () => {
    const dialog = document.activeElement?.closest("[role=dialog], [role=alertdialog]");
    return dialog != null && !dialog.contains(button.current);
  };
  return (
    <Base.Root modal={false}>
      <Base.Trigger ref={button} render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="z-50 outline-none" collisionPadding={8}>
          <Base.Popup
            className="floating max-h-(--available-height) min-w-44 max-w-80 overflow-y-auto p-1 outline-none"
            finalFocus={() => focusAfter?.() ?? !isInOtherDialog()}
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

interface ItemProps {
  icon?: IconName;
  onClick?: () => void;
  danger?: boolean;
  isDisabled?: boolean;
  /** Link that is shown instead of the item: `<Link to="…" />`. */
  link?: ReactElement;
  children: ReactNode;
}

export function MenuItem({ icon, onClick, danger, isDisabled, link, children }: ItemProps) {
  const inside = (
    <>
      {icon && <Icon name={icon} className={names("size-4", !danger && "text-soft")} />}
      <span className="min-w-0 flex-1">{children}</span>
    </>
  );
  const className = names(itemClass, danger ? "text-bad" : "text-ink");
  if (link) {
    return (
      <Base.LinkItem render={link} closeOnClick className={className}>
        {inside}
      </Base.LinkItem>
    );
  }
  return (
    <Base.Item className={className} onClick={onClick} disabled={isDisabled ?? false}>
      {inside}
    </Base.Item>
  );
}

/** One of several choices that can be on together. The menu stays open. */
export function MenuCheckbox({
  checked,
  onChange,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}) {
  return (
    <Base.CheckboxItem checked={checked} onCheckedChange={onChange} className={itemClass}>
      <span
        aria-hidden="true"
        className={names(
          "grid size-4 shrink-0 place-items-center rounded-sm border",
          checked ? "border-transparent bg-accent-fill text-on-accent" : "border-edge",
        )}
      >
        {checked && <Icon name="check" className="size-3" />}
      </span>
      <span className="min-w-0 flex-1">{children}</span>
    </Base.CheckboxItem>
  );
}

/** Choices of which exactly one is on. */
export function MenuRadios<V extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  label: string;
  value: V;
  choices: [V, ReactNode][];
  onChange: (value: V) => void;
}) {
  return (
    <Base.RadioGroup value={value} onValueChange={(chosen: V) => onChange(chosen)} aria-label={label}>
      <MenuLabel>{label}</MenuLabel>
      {choices.map(([choice, text]) => (
        <Base.RadioItem key={choice} value={choice} closeOnClick={false} className={itemClass}>
          <span className="grid size-4 shrink-0 place-items-center">
            {choice === value && <Icon name="check" className="size-4 text-accent" />}
          </span>
          <span className="min-w-0 flex-1">{text}</span>
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <div className="px-2 pt-1.5 pb-0.5 text-sm text-soft">{children}</div>;
}

export function MenuLine() {
  return <Base.Separator className="-mx-1 my-1 h-px bg-line" />;
}
