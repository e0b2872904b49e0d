// Fields for the filters of visitors. The filters are combined by "and".

import { useEffect, useState } from "react";
import { moment } from "~/lib/format";
import { Choice, Choices, Select, TextInput } from "~/ui/field";
import { Picker } from "~/ui/picker";
import { COUNTRIES, countryName } from "~/lib/locale-names";
import {
  countriesIn,
  DEVICES,
  day,
  KINDS,
  PHASES,
  type Phase,
  type Question,
  WAYS,
  withCountries,
} from "~/experiment/result/question";
import { filterWords, PHASE } from "~/experiment/result/question-words";

export interface FilterProps {
  question: Question;
  change: (changes: Partial<Question>) => void;
  epochs: { epoch: number; started_at: string }[];
  /** True when a winner was ever served: only then are there visitors before and after. */
  wasServed: boolean;
  /** Returns the server's error for a parameter. */
  problem: (parameter: string) => string | undefined;
}

export function Filters({ question, change, epochs, wasServed, problem }: FilterProps) {
  const filterBy = question.filter_by ?? [];
  const set = (next: string[]) => change({ filter_by: next.length > 0 ? next : undefined });
  const oneOf = (words: readonly string[]) => ({
    value: filterBy.find((one) => words.includes(one)) ?? "",
    onChange: ({ target }: { target: { value: string } }) =>
      set([...filterBy.filter((one) => !words.includes(one)), ...(target.value ? [target.value] : [])]),
  });
  return (
    <div className="grid items-start gap-x-4 gap-y-3 rounded-lg border border-line bg-panel p-4 xs:grid-cols-2 lg:grid-cols-4">
      <Select label="Device" {...oneOf(DEVICES)}>
        <option value="">Any device</option>
        <Words words={DEVICES} />
      </Select>
      <Select label="New or returning" {...oneOf(KINDS)}>
        <option value="">Both</option>
        <Words words={KINDS} />
      </Select>
      <Select
        label="Epoch"
        value={question.epoch ?? ""}
        error={problem("epoch")}
        onChange={({ target }) => change({ epoch: target.value === "" ? undefined : Number(target.value) })}
      >
        <option value="">All epochs</option>
        {withChosen(epochs, question.epoch).map(({ epoch, started_at: at }) => (
          <option key={epoch} value={epoch}>
            {at === "" ? epoch : `${epoch}, from ${moment(at)}`}
          </option>
        ))}
      </Select>
      {wasServed || question.report_phase !== undefined ? (
        <Select
          label="Serving"
          value={question.report_phase ?? ""}
          onChange={({ target }) => change({ report_phase: (target.value || undefined) as Phase | undefined })}
        >
          <option value="">{PHASE.pre_deploy}</option>
          {PHASES.map((one) => (
            <option key={one} value={one}>
              {PHASE[one]}
            </option>
          ))}
        </Select>
      ) : (
        <span className="hidden lg:block" />
      )}
      <DayField
        label="Entered from"
        value={question.start_date}
        error={problem("start_date")}
        change={(value) => change({ start_date: value })}
      />
      <DayField
        label="Entered until"
        value={question.end_date}
        error={problem("end_date")}
        change={(value) => change({ end_date: value })}
      />
      <ZoneField value={question.tz} error={problem("tz")} change={(value) => change({ tz: value })} />
      <Picker
        label="Countries"
        name="countries"
        error={problem("filter_by")}
        options={COUNTRIES}
        chosen={countriesIn(filterBy)}
        textOf={countryName}
        placeholder="Search countries"
        onChange={(codes) => set(withCountries(filterBy, codes))}
      />
      <div className="xs:col-span-2 lg:col-span-4">
        <Choices legend="How they came">
          <div className="flex flex-wrap gap-x-6 gap-y-2">
            {WAYS.map((word) => (
              <Choice
                key={word}
                label={filterWords(word)}
                checked={filterBy.includes(word)}
                onChange={({ target }) =>
                  set(target.checked ? [...filterBy, word] : filterBy.filter((one) => one !== word))
                }
              />
            ))}
          </div>
        </Choices>
      </div>
    </div>
  );
}

function Words({ words }: { words: readonly string[] }) {
  return words.map((word) => (
    <option key={word} value={word}>
      {filterWords(word)}
    </option>
  ));
}

/** Adds the epoch of the address, which may be unknown. */
function withChosen(epochs: FilterProps["epochs"], chosen: number | undefined): FilterProps["epochs"] {
  if (chosen === undefined || epochs.some(({ epoch }) => epoch === chosen)) return epochs;
  return [...epochs, { epoch: chosen, started_at: "" }];
}

/** Delay of typed days, because their intermediate values must not be requested. */
const TYPING_MS = 500;

interface TypedFieldProps {
  value: string | undefined;
  error: string | undefined;
  change: (value: string | undefined) => void;
}

/** Text of a field. It follows the question when that changes elsewhere. */
function useTyped(value: string | undefined) {
  const [typed, setTyped] = useState(value ?? "");
  const [stored, setStored] = useState(value);
  if (stored !== value) {
    setStored(value);
    setTyped(value ?? "");
  }
  return [typed, setTyped] as const;
}

function ZoneField({ value, error, change }: TypedFieldProps) {
  const [typed, setTyped] = useTyped(value);
  const take = () => {
    const next = typed.trim() || undefined;
    if (next !== value) change(next);
  };
  return (
    <TextInput
      label="Time zone of days"
      placeholder="UTC"
      value={typed}
      maxLength={64}
      error={error}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={take}
      onKeyDown={({ key }) => key === "Enter" && take()}
      hint="For example Europe/Berlin."
    />
  );
}

function DayField({ label, value, error, change }: TypedFieldProps & { label: string }) {
  const [typed, setTyped] = useTyped(value);
  const next = typed === "" ? undefined : day(typed);
  const isNew = next !== value && (typed === "" || next !== undefined);
  useEffect(() => {
    if (!isNew) return;
    const timer = setTimeout(() => change(next), TYPING_MS);
    return () => clearTimeout(timer);
  });
  return (
    <TextInput
      label={label}
      type="date"
      value={typed}
      error={error}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={() => isNew && change(next)}
    />
  );
}
