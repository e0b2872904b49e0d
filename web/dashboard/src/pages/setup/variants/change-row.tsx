// One visual change: its sentence, and its form when it is open.

import { names } from "~/lib/names";
import { Badge } from "~/ui/badge";
import { IconButton } from "~/ui/button";
import { FieldError } from "~/ui/field";
import { Icon } from "~/ui/icon";
import { Note } from "~/ui/layout";
import { Menu, MenuItem } from "~/ui/menu";
import { useExperiment } from "~/experiment/open";
import { ChangeFields } from "./change-fields";
import { type Change, furtherKeys, kindOf, needsCode, sentenceOf } from "./changes";
import type { Editing } from "./editing";

interface RowProps {
  editing: Editing;
  field: string;
  at: number;
  count: number;
  change: Change;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
  onChange: (change: Change) => void;
  onMove: (to: number) => void;
  onDuplicate: () => void;
  onRemove: () => void;
}

export function ChangeRow(row: RowProps) {
  const { editing, field, change, isOpen, onToggle } = row;
  const isCode = needsCode(change);
  const refused = editing.form.errorOf(field) !== undefined;
  const isShown = isOpen || refused;
  return (
    <li className="flex border-b border-line last:border-0">
      <details
        open={isShown}
        onToggle={(event) => event.currentTarget.open !== isShown && onToggle(event.currentTarget.open)}
        className="group min-w-0 flex-1"
      >
        <summary className="flex list-none items-baseline gap-2 py-2 pr-2 pl-3 pointer-coarse:py-3">
          <Icon
            name="chevronRight"
            className="size-3.5 translate-y-0.5 transition-transform duration-100 group-open:rotate-90"
          />
          <span className={names("min-w-0 flex-1 wrap-anywhere", isShown && "font-medium")}>{sentenceOf(change)}</span>
          {editing.findings.countOf(field) > 0 && <Badge tone="caution">Look at it</Badge>}
          {isCode && <Badge>Code</Badge>}
        </summary>
        {isShown && (
          <div className="flex flex-col gap-4 pt-1 pr-2 pb-4 pl-8.5">
            <Remarks editing={editing} field={field} change={change} at={row.at} />
            <fieldset
              disabled={isCode && !editing.mayCode && !wasJustTyped(editing, field)}
              className="flex min-w-0 flex-col gap-4"
            >
              <legend className="sr-only">Change {row.at + 1}</legend>
              <ChangeFields editing={editing} field={field} change={change} onChange={row.onChange} />
            </fieldset>
          </div>
        )}
      </details>
      {!editing.isLocked && <Acts {...row} />}
    </li>
  );
}

/** Returns whether an address became a script in this form, and can be changed back. */
function wasJustTyped({ form }: Editing, field: string): boolean {
  const [, arm, at] = /^variants\[(\d+)\]\.data\[(\d+)\]$/.exec(field) ?? [];
  const stored = form.stored.variants[Number(arm)]?.data[Number(at)];
  return stored === undefined || !needsCode(stored);
}

function Remarks({ editing, field, change, at }: Pick<RowProps, "editing" | "field" | "change" | "at">) {
  const { experiment } = useExperiment();
  const kind = kindOf(change);
  const further = furtherKeys(change);
  const error = editing.findings.errorOf(field) ?? exactly(editing, field);
  return (
    <>
      {error && <FieldError>{error}</FieldError>}
      {needsCode(change) && !editing.mayCode && !editing.isLocked && (
        <Note>
          This change can run or load something on the page, so it counts as code. Your role may not change code in this
          project.
        </Note>
      )}
      {kind === "redirect" && (at > 0 || experiment.test_type !== "split") && (
        <Note tone="caution">A redirect works only as the first change of a split test.</Note>
      )}
      {kind === "unknown" && <p className="text-soft">This change has no form. Edit it as JSON.</p>}
      {kind !== "unknown" && further.length > 0 && (
        <p className="text-sm text-soft">
          Kept unchanged: <span className="font-mono wrap-anywhere">{further.join(", ")}</span>
        </p>
      )}
    </>
  );
}

/** Error of the change itself, not of one of its keys. */
function exactly({ form }: Editing, field: string): string | undefined {
  return form.failure?.fields.find((one) => one.field === field)?.message;
}

function Acts({ editing, change, at, count, onMove, onDuplicate, onRemove }: RowProps) {
  const isFixed = needsCode(change) && !editing.mayCode;
  return (
    <div className="flex shrink-0 items-start gap-px py-1 pr-1">
      <span className="flex max-xs:hidden">
        <IconButton
          small
          icon="arrowUp"
          label={`Move change ${at + 1} up`}
          disabled={at === 0}
          onClick={() => onMove(at - 1)}
        />
        <IconButton
          small
          icon="arrowDown"
          label={`Move change ${at + 1} down`}
          disabled={at + 1 === count}
          onClick={() => onMove(at + 1)}
        />
      </span>
      <Menu align="end" trigger={<IconButton small icon="more" label={`More actions for change ${at + 1}`} />}>
        <MenuItem icon="arrowUp" isDisabled={at === 0} onClick={() => onMove(at - 1)}>
          Move up
        </MenuItem>
        <MenuItem icon="arrowDown" isDisabled={at + 1 === count} onClick={() => onMove(at + 1)}>
          Move down
        </MenuItem>
        <MenuItem icon="layers" isDisabled={isFixed} onClick={onDuplicate}>
          Duplicate
        </MenuItem>
        <MenuItem icon="close" danger isDisabled={isFixed} onClick={onRemove}>
          Remove
        </MenuItem>
      </Menu>
    </div>
  );
}
