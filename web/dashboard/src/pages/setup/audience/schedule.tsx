// Days of the week and hours, in the visitor's time.

import { capital } from "~/lib/capital";
import { useRef } from "react";
import type { Schemas } from "~/api/query";
import { Button, IconButton } from "~/ui/button";
import { Choice, Choices, TextInput } from "~/ui/field";
import { DAYS, type Rules } from "./kinds";
import { fieldNamed, focusSoon, type RuleProps, replaced } from "./rule";

type Group = Schemas["ScheduleGroup"];
type Range = Schemas["TimeRange"];

export function ScheduleRule({ rule, set, place, problem }: RuleProps<Rules["schedule_rule"]>) {
  const add = useRef<HTMLDivElement>(null);
  const groups = rule?.schedule_groups ?? [];
  const setGroups = (schedule_groups: Group[]) => set(schedule_groups.length > 0 ? { schedule_groups } : null);
  const at = `${place}.schedule_groups`;
  return (
    <div className="flex flex-col gap-3">
      {groups.map((group, index) => (
        <div key={index} className="flex flex-col gap-3">
          {index > 0 && <span className="text-sm font-medium text-soft">or</span>}
          <GroupEntry
            group={group}
            place={`${at}[${index}]`}
            problem={problem}
            set={(next) => setGroups(replaced(groups, index, next))}
            remove={() => {
              setGroups(replaced(groups, index));
              add.current?.querySelector("button")?.focus();
            }}
          />
        </div>
      ))}
      <div ref={add} className="in-disabled:hidden">
        <Button
          small
          icon="plus"
          onClick={() => {
            setGroups([...groups, { days: [], time_ranges: [] }]);
            focusSoon(fieldNamed(`${at}[${groups.length}].days`));
          }}
        >
          {groups.length > 0 ? "Or other days" : "Add days and hours"}
        </Button>
      </div>
    </div>
  );
}

interface GroupProps {
  group: Group;
  place: string;
  problem: (place: string) => string | undefined;
  set: (group: Group) => void;
  remove: () => void;
}

function GroupEntry({ group, place, problem, set, remove }: GroupProps) {
  const { days, time_ranges: ranges } = group;
  const at = `${place}.time_ranges`;
  const add = useRef<HTMLDivElement>(null);
  return (
    <div className="flex flex-col gap-3 rounded-md border border-line p-3">
      <div className="flex items-start justify-between gap-3">
        <Choices
          legend="Days"
          hint={days.length === 0 ? "Without a choice, this applies every day." : undefined}
          error={problem(`${place}.days`)}
        >
          <div className="flex flex-wrap gap-x-4 gap-y-2.5">
            {DAYS.map((day) => (
              <Choice
                key={day}
                name={`${place}.days`}
                label={capital(day)}
                checked={days.includes(day)}
                // In the order of the week.
                onChange={({ target }) =>
                  set({ ...group, days: DAYS.filter((one) => (one === day ? target.checked : days.includes(one))) })
                }
              />
            ))}
          </div>
        </Choices>
        <IconButton icon="close" label="Remove these days and hours" className="in-disabled:hidden" onClick={remove} />
      </div>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 font-medium">Hours</legend>
        {ranges.length === 0 && <p className="-mt-1.5 text-sm text-soft">Without hours, this applies all day.</p>}
        {ranges.map((range, index) => (
          <RangeRow
            key={index}
            range={range}
            place={`${at}[${index}]`}
            problem={problem}
            set={(next) => set({ ...group, time_ranges: replaced(ranges, index, next) })}
            remove={() => {
              set({ ...group, time_ranges: replaced(ranges, index) });
              add.current?.querySelector("button")?.focus();
            }}
          />
        ))}
        <div ref={add} className="in-disabled:hidden">
          <Button
            kind="quiet"
            small
            icon="plus"
            onClick={() => {
              set({ ...group, time_ranges: [...ranges, { start: "09:00", end: "17:00" }] });
              focusSoon(fieldNamed(`${at}[${ranges.length}].start`));
            }}
          >
            Add hours
          </Button>
        </div>
      </fieldset>
    </div>
  );
}

interface RangeProps {
  range: Range;
  place: string;
  problem: (place: string) => string | undefined;
  set: (range: Range) => void;
  remove: () => void;
}

function RangeRow({ range, place, problem, set, remove }: RangeProps) {
  const time = (member: "start" | "end", label: string) => (
    <TextInput
      label={label}
      hidesLabel
      type="time"
      name={`${place}.${member}`}
      error={problem(`${place}.${member}`)}
      // The end of a day is stored as 24:00, which a time field cannot show. It is shown as 00:00.
      value={range[member] === "24:00" ? "00:00" : range[member]}
      onChange={({ target }) => set({ ...range, [member]: target.value })}
    />
  );
  const passesMidnight = range.end <= range.start && range.end !== "00:00";
  return (
    <div className="flex flex-wrap items-start gap-2">
      {time("start", "From")}
      <span className="mt-1.5 text-soft">to</span>
      {time("end", "To")}
      <IconButton
        icon="close"
        label={`Remove ${range.start} to ${range.end}`}
        className="in-disabled:hidden"
        onClick={remove}
      />
      {passesMidnight && range.end !== "" && <span className="mt-1.5 text-sm text-soft">on the next day</span>}
    </div>
  );
}
