// Events that visitors must have done before, or must not have done.

import { useRef } from "react";
import type { Schemas } from "~/api/query";
import { Button, IconButton } from "~/ui/button";
import { Select, TextInput } from "~/ui/field";
import { GroupsRule, type GroupsWords } from "./conditions";
import { firstRule, type Rules } from "./kinds";
import { fieldNamed, focusSoon, type RuleProps, replaced } from "./rule";

type EventRule = Schemas["EventRule"];

const ATTRIBUTES: GroupsWords = {
  name: "Attribute of the event",
  example: "price",
  members: { name: "key", operator: "operand" },
  within: "and",
  first: "Only events with …",
};

export function EventsRule({ rule, set, place, problem }: RuleProps<Rules["event_rule"]>) {
  const add = useRef<HTMLDivElement>(null);
  return (
    <div className="flex flex-col gap-3">
      {rule.map((one, at) => (
        <div key={at} className="flex flex-col gap-3">
          {at > 0 && <span className="text-sm font-medium text-soft">and</span>}
          <EventEntry
            one={one}
            place={`${place}[${at}]`}
            problem={problem}
            set={(next) => set(replaced(rule, at, next))}
            remove={() => {
              set(replaced(rule, at));
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
            set([...rule, ...(firstRule("event_rule") as EventRule[])]);
            focusSoon(fieldNamed(`${place}[${rule.length}].name`));
          }}
        >
          {rule.length > 0 ? "And another event" : "Add an event"}
        </Button>
      </div>
    </div>
  );
}

interface EntryProps {
  one: EventRule;
  place: string;
  problem: (place: string) => string | undefined;
  set: (one: EventRule) => void;
  remove: () => void;
}

function EventEntry({ one, place, problem, set, remove }: EntryProps) {
  const at = (member: string) => ({ name: `${place}.${member}`, error: problem(`${place}.${member}`) });
  return (
    <div className="flex flex-col gap-3 rounded-md border border-line p-3">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-3 xs:grid-cols-[9rem_minmax(0,1fr)_auto]">
        <Select
          {...at("rule")}
          label="Visitors"
          value={one.rule}
          onChange={({ target }) => set({ ...one, rule: target.value as EventRule["rule"] })}
        >
          <option value="equal">did</option>
          <option value="notEqual">did not do</option>
        </Select>
        <TextInput
          {...at("name")}
          label="Name of the event"
          placeholder="add_to_cart"
          className="max-xs:col-span-2"
          spellCheck={false}
          autoCapitalize="off"
          value={one.name}
          onChange={({ target }) => set({ ...one, name: target.value })}
        />
        <IconButton
          icon="close"
          label={`Remove the event ${one.name || "without a name"}`}
          className="mt-6 in-disabled:hidden max-xs:col-start-2 max-xs:row-start-1"
          onClick={remove}
        />
      </div>
      <div className="grid gap-3 xs:grid-cols-2">
        <Count
          {...at("min_count")}
          label="At least this many times"
          value={one.min_count ?? 1}
          onChange={(min_count) => set({ ...one, min_count })}
        />
        <Count
          {...at("timeframe_days")}
          label="Within this many days"
          hint="0 means at any time before."
          value={one.timeframe_days ?? 0}
          onChange={(timeframe_days) => set({ ...one, timeframe_days })}
        />
      </div>
      <GroupsRule
        rule={one.attributes as Record<string, unknown>[][]}
        set={(attributes) => set({ ...one, attributes: attributes as EventRule["attributes"] })}
        place={`${place}.attributes`}
        problem={problem}
        words={ATTRIBUTES}
      />
    </div>
  );
}

interface CountProps {
  name: string;
  error: string | undefined;
  label: string;
  hint?: string;
  value: number;
  onChange: (value: number) => void;
}

/** A whole number. Other text is sent as it is, so that the server reports the error. */
function Count({ value, onChange, ...field }: CountProps) {
  return (
    <TextInput
      {...field}
      inputMode="numeric"
      type="number"
      min={0}
      value={value ?? ""}
      onChange={({ target }) => onChange(target.value === "" ? (null as unknown as number) : target.valueAsNumber)}
    />
  );
}
