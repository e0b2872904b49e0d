// Groups of conditions: attributes, parameters, cookies, referrers; and attributes of events, whose groups combine
// "and" and "or" the other way round.

import { capital } from "~/lib/capital";
import { type ReactNode, useRef } from "react";
import { Button, IconButton } from "~/ui/button";
import { Select, TextInput } from "~/ui/field";
import { SOURCES } from "./kinds";
import { OPERATORS, type Operator, operatorInfo, takesNoValue } from "./operators";
import { fieldNamed, focusSoon, type RuleProps, replaced } from "./rule";

/** A condition. Its members have other names in event rules than in most rules. */
type Row = Record<string, unknown>;

export interface GroupsWords {
  /** Name of what is compared: "Attribute". */
  name: string;
  example: string;
  /** Choices for the name, if it is not free text. */
  names?: readonly (readonly [value: string, text: string])[];
  /** Names of a condition's members. */
  members?: { name: string; operator: string };
  /** Word between the conditions of a group. The other word is between groups. */
  within?: "or" | "and";
  /** Label of the button while the rule has no conditions. */
  first?: string;
}

const MEMBERS = { name: "criteria", operator: "operator" };

export function GroupsRule({ rule, set, place, problem, words }: RuleProps<Row[][]> & { words: GroupsWords }) {
  const { within = "or", members = MEMBERS, first = "Add a condition" } = words;
  const between = within === "or" ? "and" : "or";
  const add = useRef<HTMLDivElement>(null);
  const blank = (): Row => ({ [members.name]: words.names?.[0]?.[0] ?? "", [members.operator]: "==", value: "" });
  const focusRow = (group: number, at: number) => focusSoon(fieldNamed(`${place}[${group}][${at}].${members.name}`));
  const setGroup = (at: number, group: Row[]) => {
    set(group.length > 0 ? replaced(rule, at, group) : replaced(rule, at));
  };
  return (
    <div className="flex flex-col gap-2">
      {rule.map((group, at) => (
        <div key={at} className="flex flex-col gap-2">
          {at > 0 && <Between>{between}</Between>}
          <div className="flex flex-col gap-2 rounded-md border border-line p-3">
            {group.map((row, index) => (
              <div key={index} className="flex flex-col gap-2">
                {index > 0 && <Between>{within}</Between>}
                <ConditionRow
                  row={row}
                  place={`${place}[${at}][${index}]`}
                  problem={problem}
                  words={words}
                  set={(next) => setGroup(at, replaced(group, index, next))}
                  remove={() => {
                    setGroup(at, replaced(group, index));
                    add.current?.querySelector("button")?.focus();
                  }}
                />
              </div>
            ))}
            <div className="in-disabled:hidden">
              <Button
                kind="quiet"
                small
                icon="plus"
                onClick={() => {
                  setGroup(at, [...group, blank()]);
                  focusRow(at, group.length);
                }}
              >
                {capital(within)} another condition
              </Button>
            </div>
          </div>
        </div>
      ))}
      <div ref={add} className="in-disabled:hidden">
        <Button
          small
          icon="plus"
          onClick={() => {
            set([...rule, [blank()]]);
            focusRow(rule.length, 0);
          }}
        >
          {rule.length > 0 ? `${capital(between)} another condition` : first}
        </Button>
      </div>
    </div>
  );
}

function Between({ children }: { children: ReactNode }) {
  return <span className="text-sm font-medium text-soft">{children}</span>;
}

interface ConditionRowProps {
  row: Row;
  place: string;
  problem: (place: string) => string | undefined;
  words: GroupsWords;
  set: (row: Row) => void;
  remove: () => void;
}

function ConditionRow({ row, place, problem, words, set, remove }: ConditionRowProps) {
  const { members = MEMBERS, names: choices } = words;
  const name = String(row[members.name] ?? "");
  const operator = String(row[members.operator]);
  const at = (member: string) => ({
    name: `${place}.${member}`,
    error: problem(`${place}.${member}`),
    hidesLabel: true,
    className: member === members.name ? "" : "max-xs:col-span-2",
  });
  const choose = (next: string) => {
    // A value that the operator ignores is not sent.
    const { value, ...rest } = row;
    set({ ...rest, [members.operator]: next, ...(takesNoValue(next) ? {} : { value: value ?? "" }) });
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-2 xs:grid-cols-[minmax(0,1fr)_12.5rem_minmax(0,1fr)_auto]">
      {choices ? (
        <Select
          {...at(members.name)}
          label={words.name}
          value={name}
          onChange={({ target }) => set({ ...row, [members.name]: target.value })}
        >
          {choices.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </Select>
      ) : (
        <TextInput
          {...at(members.name)}
          label={words.name}
          placeholder={words.example}
          spellCheck={false}
          autoCapitalize="off"
          value={name}
          onChange={({ target }) => set({ ...row, [members.name]: target.value })}
        />
      )}
      <Select
        {...at(members.operator)}
        label="Comparison"
        value={operator}
        onChange={({ target }) => choose(target.value)}
      >
        {OPERATORS.map((one) => {
          // A rule keeps its spelling.
          const spelling: Operator = one.also === operator ? one.also : one.spelling;
          return (
            <option key={one.spelling} value={spelling}>
              {one.choice}
            </option>
          );
        })}
      </Select>
      {takesNoValue(operator) ? (
        <span className="max-xs:hidden" />
      ) : (
        <ConditionValue
          {...at("value")}
          isSource={choices !== undefined && name === "source" && ["==", "!="].includes(operator)}
          isNumber={operatorInfo(operator)?.takes === "number"}
          value={row.value}
          onChange={(value) => set({ ...row, value })}
        />
      )}
      <IconButton
        icon="close"
        label={`Remove the condition on ${name || "an empty name"}`}
        className="in-disabled:hidden max-xs:col-start-2 max-xs:row-start-1"
        onClick={remove}
      />
    </div>
  );
}

interface ValueProps {
  name: string;
  error: string | undefined;
  hidesLabel: boolean;
  className: string;
  isSource: boolean;
  isNumber: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
}

function ConditionValue({ isSource, isNumber, value, onChange, ...field }: ValueProps) {
  const text = value == null ? "" : String(value);
  if (isSource) {
    const isKnown = Object.hasOwn(SOURCES, text);
    return (
      <Select {...field} label="Value" value={text} onChange={({ target }) => onChange(target.value)}>
        {!isKnown && <option value={text}>{text || "Choose"}</option>}
        {Object.entries(SOURCES).map(([word, says]) => (
          <option key={word} value={word}>
            {word}: {says}
          </option>
        ))}
      </Select>
    );
  }
  return (
    <TextInput
      {...field}
      label="Value"
      placeholder={isNumber ? "Number" : "Value"}
      inputMode={isNumber ? "decimal" : undefined}
      spellCheck={false}
      autoCapitalize="off"
      value={text}
      onChange={({ target }) => onChange(typed(target.value, value))}
    />
  );
}

/** Converts typed text to the type of the previous value: a number that is edited stays a number. */
function typed(text: string, before: unknown): unknown {
  if (typeof before === "number" && String(Number(text)) === text) return Number(text);
  if (typeof before === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
