// Filters for visitors and goal: the chosen ones as removable words, and the fields behind a button, because most users
// read the whole experiment.

import { type ReactNode, useId, useRef, useState } from "react";
import { day } from "~/lib/format";
import { names } from "~/lib/names";
import { Button } from "~/ui/button";
import { Select } from "~/ui/field";
import { Icon } from "~/ui/icon";
import { Filters, type FilterProps } from "./filter-fields";
import { countriesIn, type Question, withCountries } from "~/experiment/result/question";
import { filterWords, PHASE } from "~/experiment/result/question-words";

interface FilterBarProps extends FilterProps {
  /** Goals that can be chosen, by key. */
  goals: readonly (readonly [key: string, name: string])[];
  primary: { goal_key: string; goal_name: string } | null;
  /** Content at the end of the line. */
  aside?: ReactNode;
}

export function FilterBar({ goals, primary, aside, ...fields }: FilterBarProps) {
  const { question, change, problem } = fields;
  const [isOpen, setOpen] = useState(false);
  const panel = useId();
  const choose = useRef<HTMLButtonElement>(null);
  // The button that had the focus disappears with its filter.
  const takeAway = (changes: Partial<Question>) => {
    change(changes);
    choose.current?.focus();
  };
  const chips = chipsOf(question);
  const hasProblem = FIELDS.some((name) => name !== "goal_key" && problem(name) !== undefined);
  const open = isOpen || hasProblem;
  return (
    <search aria-label="Goal and visitors of the result" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
        <Select
          label="Goal"
          className="min-w-0 max-xs:w-full xs:w-72"
          value={question.goal ?? ""}
          error={problem("goal_key")}
          onChange={({ target }) => change({ goal: target.value || undefined })}
        >
          <option value="">{primary ? `${primary.goal_name}, the primary one` : "No primary goal"}</option>
          {goals
            .filter(([key]) => key !== primary?.goal_key)
            .map(([key, name]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          {question.goal !== undefined && !goals.some(([key]) => key === question.goal) && (
            <option value={question.goal}>{question.goal}</option>
          )}
        </Select>
        <Button ref={choose} aria-expanded={open} aria-controls={panel} onClick={() => setOpen(!open)}>
          Choose visitors
          <Icon name="chevronDown" className={names("size-3.5", open && "rotate-180")} />
        </Button>
        <span className="flex-1" />
        {aside}
      </div>
      {chips.length > 0 && (
        <ul aria-label="Chosen visitors" className="flex flex-wrap items-center gap-1.5">
          {chips.map(({ name, without }) => (
            <li key={name} className="max-w-full">
              <Button
                small
                icon="close"
                aria-label={`Remove filter: ${name}`}
                className="max-w-full border-accent! bg-accent-wash! text-accent!"
                onClick={() => takeAway(without)}
              >
                <span className="truncate">{name}</span>
              </Button>
            </li>
          ))}
          <li>
            <Button small kind="quiet" onClick={() => takeAway(EVERYBODY)}>
              All visitors
            </Button>
          </li>
        </ul>
      )}
      <div id={panel} hidden={!open}>
        {open && <Filters {...fields} />}
      </div>
    </search>
  );
}

/** Parameters of the server that have a field here. */
export const FIELDS: readonly string[] = ["goal_key", "start_date", "end_date", "tz", "epoch", "filter_by"];

/** Resets all filters of visitors. */
export const EVERYBODY: Partial<Question> = {
  filter_by: undefined,
  epoch: undefined,
  report_phase: undefined,
  start_date: undefined,
  end_date: undefined,
  tz: undefined,
};

interface Chip {
  name: string;
  without: Partial<Question>;
}

/** Active filters of visitors, each with the change that removes it. */
function chipsOf(question: Question): Chip[] {
  const { filter_by: filterBy = [], epoch, start_date: start, end_date: end, tz, report_phase: phase } = question;
  const rest = (kept: string[]) => ({ filter_by: kept.length > 0 ? kept : undefined });
  const countries = countriesIn(filterBy);
  const chips: Chip[] = filterBy
    .filter((one) => !one.startsWith("country-"))
    .map((one) => ({ name: filterWords(one), without: rest(filterBy.filter((other) => other !== one)) }));
  for (const code of countries) {
    const without = rest(
      withCountries(
        filterBy,
        countries.filter((one) => one !== code),
      ),
    );
    chips.push({ name: filterWords(`country-${code}`), without });
  }
  if (epoch !== undefined) chips.push({ name: `Epoch ${epoch}`, without: { epoch: undefined } });
  if (start !== undefined) chips.push({ name: `From ${day(start)}`, without: { start_date: undefined } });
  if (end !== undefined) chips.push({ name: `Until ${day(end)}`, without: { end_date: undefined } });
  if (tz !== undefined) chips.push({ name: `Time zone ${tz}`, without: { tz: undefined } });
  if (phase !== undefined) chips.push({ name: PHASE[phase], without: { report_phase: undefined } });
  return chips;
}
