// Visual changes of a variant: as a list with a form for each, or as JSON.

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "~/ui/button";
import { FieldError } from "~/ui/field";
import { Menu, MenuItem, MenuLabel, MenuLine } from "~/ui/menu";
import { useExperiment } from "~/experiment/open";
import { ChangeRow } from "./change-row";
import { type Change, kindOf, NEW_CHANGES, NEW_REDIRECT, needsCode } from "./changes";
import { ChangesJson } from "./changes-json";
import { type Editing, errorOf } from "./editing";
import { useIdentity } from "./identity";

interface SectionProps {
  editing: Editing;
  field: string;
  changes: Change[];
  onChange: (changes: Change[]) => void;
}

const CHANGES_MAX = 1_000;

export function ChangesSection({ editing, field, changes, onChange }: SectionProps) {
  const error = errorOf(editing, field);
  const isJson = editing.isJson || field in editing.form.values.unreadable;
  const View = isJson ? ChangesJson : ChangeList;
  return (
    <section aria-label="Visual changes" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <h3 className="font-medium">Visual changes</h3>
        <ViewLink isJson={isJson} />
      </div>
      <View editing={editing} field={field} changes={changes} onChange={onChange} />
      {error && changes.length === 0 && <FieldError>{error}</FieldError>}
    </section>
  );
}

/** A link, because buttons are disabled in a locked form. */
function ViewLink({ isJson }: { isJson: boolean }) {
  return (
    <Link
      from="/p/$projectKey/experiments/$testId/setup/variants"
      to="."
      search={({ arm }) => ({ arm, view: isJson ? undefined : ("json" as const) })}
      replace
      resetScroll={false}
      preload={false}
      className="link text-sm"
    >
      {isJson ? "Show as a list" : "Show as JSON"}
    </Link>
  );
}

function ChangeList({ editing, field, changes, onChange }: SectionProps) {
  const identity = useIdentity();
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [news, setNews] = useState("");
  const ids = changes.map((change) => identity.of(change));
  const setOpen = (id: number, isOpen: boolean) =>
    setOpened((before) => {
      const after = new Set(before);
      if (isOpen) after.add(id);
      else after.delete(id);
      return after;
    });
  const insert = (at: number, change: Change) => {
    onChange(changes.toSpliced(at, 0, change));
    setOpen(identity.of(change), true);
  };
  const move = (from: number, to: number) => {
    const moved = changes.toSpliced(from, 1).toSpliced(to, 0, changes[from]!);
    onChange(moved);
    setNews(`Moved to place ${to + 1} of ${changes.length}.`);
  };
  return (
    <>
      {changes.length > 0 && (
        <ol className="rounded-md border border-line">
          {changes.map((change, at) => (
            <ChangeRow
              key={ids[at]}
              editing={editing}
              field={`${field}[${at}]`}
              at={at}
              count={changes.length}
              change={change}
              isOpen={opened.has(ids[at]!)}
              onToggle={(isOpen) => setOpen(ids[at]!, isOpen)}
              onChange={(next) => {
                identity.pass(change, next);
                onChange(changes.with(at, next));
              }}
              onMove={(to) => move(at, to)}
              onDuplicate={() => insert(at + 1, structuredClone(change))}
              onRemove={() => {
                onChange(changes.toSpliced(at, 1));
                setNews("Removed.");
              }}
            />
          ))}
        </ol>
      )}
      <p role="status" className="sr-only">
        {news}
      </p>
      {changes.length === 0 && (
        <p className="text-soft">
          None yet. A visual change alters words, style or elements of the page, without code.
        </p>
      )}
      {!editing.isLocked && <AddChange editing={editing} changes={changes} onAdd={insert} />}
    </>
  );
}

interface AddProps {
  editing: Editing;
  changes: Change[];
  onAdd: (at: number, change: Change) => void;
}

function AddChange({ editing, changes, onAdd }: AddProps) {
  const { experiment } = useExperiment();
  const isFull = changes.length >= CHANGES_MAX;
  const hasRedirect = changes[0] !== undefined && kindOf(changes[0]) === "redirect";
  const item = ({ name, change }: (typeof NEW_CHANGES)[number]) => (
    <MenuItem
      key={name}
      isDisabled={needsCode(change) && !editing.mayCode}
      onClick={() => onAdd(changes.length, structuredClone(change))}
    >
      {name}
    </MenuItem>
  );
  return (
    <div>
      <Menu
        trigger={
          <Button icon="plus" disabled={isFull}>
            Add a change
          </Button>
        }
      >
        {experiment.test_type === "split" && (
          <>
            <MenuItem isDisabled={hasRedirect} onClick={() => onAdd(0, { ...NEW_REDIRECT })}>
              Redirect to another page
            </MenuItem>
            <MenuLine />
          </>
        )}
        {NEW_CHANGES.filter(({ change }) => !needsCode(change)).map(item)}
        <MenuLine />
        <MenuLabel>
          {editing.mayCode ? "With HTML, which is code" : "With HTML: your role may not change code"}
        </MenuLabel>
        {NEW_CHANGES.filter(({ change }) => needsCode(change)).map(item)}
      </Menu>
    </div>
  );
}
