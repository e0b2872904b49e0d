// Rules of an audience: the existing ones, each with its form, and a menu of the others.

import { type ReactNode, useRef, useState } from "react";
import type { Schemas } from "~/api/query";
import type { Form } from "~/ui/form/form";
import { Button } from "~/ui/button";
import { Note } from "~/ui/layout";
import { Menu, MenuItem, MenuLabel } from "~/ui/menu";
import { AudiencesRule, LanguagesRule, UserRule, WordsRule } from "./choices";
import { GroupsRule, type GroupsWords } from "./conditions";
import { EventsRule } from "./events";
import {
  BROWSERS,
  firstRule,
  GROUPS,
  isRule,
  isShown,
  type Kind,
  type KindInfo,
  KINDS,
  noRule,
  type Rules,
  SYSTEMS,
  TITLES,
} from "./kinds";
import { PagesRule } from "./pages";
import { CountriesRule, PlacesRule } from "./places";
import { focusSoon, type RuleProps } from "./rule";
import { ScheduleRule } from "./schedule";
import { Unjudged } from "./unjudged";

/** Form whose fields are paths: `targeting.device_rule`. */
export type AudienceForm = Form<Record<string, unknown>>;

interface EditorProps {
  form: AudienceForm;
  /** `targeting`, or `variants[0].targeting`. */
  base: string;
  /** Owner of the rules, for the menu's button. */
  whose?: string;
}

export function RulesEditor({ form, base, whose }: EditorProps) {
  // Kinds that were just added and have no rule yet.
  const [opened, setOpened] = useState<string[]>([]);
  const at = (kind: string) => `${base}.${kind}`;
  const shown = KINDS.filter(({ kind }) => opened.includes(kind) || isRule(form.values[at(kind)]));
  const others = Object.keys(form.values).filter(
    (place) =>
      place.startsWith(`${base}.`) && TITLES[place.slice(base.length + 1)] === undefined && isRule(form.values[place]),
  );
  const add = (kind: Kind) => {
    setOpened([...opened, kind]);
    if (!isRule(form.values[at(kind)])) form.set(at(kind), firstRule(kind));
    focusSoon(fieldIn(at(kind)));
  };
  const remove = (kind: Kind) => {
    setOpened(opened.filter((one) => one !== kind));
    form.set(at(kind), noRule(kind));
    focusSoon(`[data-adds="${CSS.escape(base)}"]`);
  };
  return (
    <>
      {shown.map((info) => (
        <Section
          key={info.kind}
          place={at(info.kind)}
          title={info.title}
          about={info.about}
          browserOnly={info.browserOnly}
          remove={() => remove(info.kind)}
        >
          <RuleForm form={form} kind={info.kind} place={at(info.kind)} />
        </Section>
      ))}
      {others.map((place) => (
        <Section key={place} place={place} title={place.slice(base.length + 1)}>
          <Unknown value={form.values[place]} />
        </Section>
      ))}
      <AddMenu base={base} whose={whose} present={shown.map(({ kind }) => kind)} onAdd={add} />
    </>
  );
}

/** Selector of the first field of a rule. */
function fieldIn(place: string): string {
  return `[data-rule="${CSS.escape(place)}"] :is(input, select, textarea)`;
}

interface SectionProps {
  place: string;
  title: string;
  about?: string;
  browserOnly?: string | undefined;
  remove?: () => void;
  children: ReactNode;
}

function Section({ place, title, about, browserOnly, remove, children }: SectionProps) {
  return (
    <section data-rule={place} aria-label={title} className="flex flex-col gap-3 border-t border-line pt-4">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h3 className="font-semibold break-words">{title}</h3>
          {about && <p className="text-sm text-soft">{about}</p>}
        </div>
        {remove && (
          <Button kind="quiet" small aria-label={`Remove ${title}`} className="in-disabled:hidden" onClick={remove}>
            Remove
          </Button>
        )}
      </div>
      {children}
      {browserOnly && <p className="text-sm text-caution">{browserOnly}</p>}
    </section>
  );
}

interface AddMenuProps {
  base: string;
  whose: string | undefined;
  present: readonly string[];
  onAdd: (kind: Kind) => void;
}

function AddMenu({ base, whose, present, onAdd }: AddMenuProps) {
  const groups = GROUPS.map((group): [string, KindInfo[]] => [
    group,
    KINDS.filter((info) => info.group === group && !present.includes(info.kind)),
  ]).filter(([, kinds]) => kinds.length > 0);
  const chosen = useRef<string>(undefined);
  if (groups.length === 0) return null;
  return (
    <div className="border-t border-line pt-4 in-disabled:hidden">
      <Menu
        // Focuses the first field of the chosen rule; without a choice, the button.
        focusAfter={() => (chosen.current ? document.querySelector<HTMLElement>(fieldIn(chosen.current)) : null)}
        trigger={
          <Button icon="plus" data-adds={base} aria-label={whose && `Add a rule for ${whose}`}>
            Add a rule
          </Button>
        }
      >
        {groups.map(([group, kinds]) => (
          <div key={group} role="group" aria-label={group}>
            <MenuLabel>{group}</MenuLabel>
            {kinds.map(({ kind, title }) => (
              <MenuItem
                key={kind}
                onClick={() => {
                  chosen.current = `${base}.${kind}`;
                  onAdd(kind);
                }}
              >
                {title}
              </MenuItem>
            ))}
          </div>
        ))}
      </Menu>
    </div>
  );
}

const GROUP_WORDS: Record<"segment_rule" | "cookie_rule" | "parameter_rule" | "referral_rule", GroupsWords> = {
  segment_rule: { name: "Attribute", example: "plan" },
  cookie_rule: { name: "Cookie", example: "returning_customer" },
  parameter_rule: { name: "Parameter", example: "utm_source" },
  referral_rule: {
    name: "Property",
    example: "",
    names: [
      ["source", "Kind of source"],
      ["host", "Host of the previous page"],
      ["url", "Address of the previous page"],
    ],
  },
};

const DEVICE_LABELS: Record<Schemas["Device"], string> = { desktop: "Desktop", mobile: "Mobile", tablet: "Tablet" };

/** Adds a warning to a rule that this server may be unable to evaluate. */
function withWarning(kind: Kind, rule: ReactNode) {
  return (
    <div className="flex flex-col gap-3">
      <Unjudged kind={kind} />
      {rule}
    </div>
  );
}

/** Form of one kind of rule. */
export function RuleForm({ form, kind, place }: { form: AudienceForm; kind: Kind; place: string }) {
  const value = form.values[place];
  const problem = useProblem(form, value);
  if (!isShown(kind, value)) return <Unknown value={value} />;
  // `isShown` has checked the whole value.
  const props = <K extends Kind>(): RuleProps<Rules[K]> => ({
    rule: value as Rules[K],
    set: (rule) => form.set(place, rule),
    place,
    problem,
  });
  switch (kind) {
    case "url_rule":
      return <PagesRule {...props<typeof kind>()} />;
    case "allowed_country":
      return withWarning(kind, <CountriesRule {...props<typeof kind>()} />);
    case "allowed_region":
      return withWarning(kind, <PlacesRule {...props<typeof kind>()} example="California (US)" />);
    case "allowed_city":
      return withWarning(kind, <PlacesRule {...props<typeof kind>()} example="Berlin (Berlin)" />);
    case "device_rule":
      return <WordsRule {...props<typeof kind>()} words={DEVICE_LABELS} legend="Devices" />;
    case "os_rule":
      return <WordsRule {...props<typeof kind>()} words={SYSTEMS} legend="Operating systems" />;
    case "browser_rule":
      return <WordsRule {...props<typeof kind>()} words={BROWSERS} legend="Browsers" />;
    case "browser_language_rule":
      return <LanguagesRule {...props<typeof kind>()} />;
    case "user_rule":
      return <UserRule {...props<typeof kind>()} />;
    case "ga4_rule":
      return <AudiencesRule {...props<typeof kind>()} />;
    case "event_rule":
      return <EventsRule {...props<typeof kind>()} />;
    case "schedule_rule":
      return <ScheduleRule {...props<typeof kind>()} />;
    case "segment_rule":
    case "cookie_rule":
    case "parameter_rule":
    case "referral_rule":
      return (
        <GroupsRule
          {...(props<typeof kind>() as unknown as RuleProps<Record<string, unknown>[][]>)}
          words={GROUP_WORDS[kind]}
        />
      );
  }
}

/**
 * Errors by path, while the rows are those that the server saw. After a row was added or removed, the paths refer to
 * other rows.
 */
function useProblem(form: AudienceForm, value: unknown): AudienceForm["errorOf"] {
  const [seen, setSeen] = useState({ failure: form.failure, rows: rowsOf(value) });
  if (seen.failure !== form.failure) setSeen({ failure: form.failure, rows: rowsOf(value) });
  return seen.rows === rowsOf(value) ? form.errorOf : () => undefined;
}

/** Structure of the lists in a value, without their content. */
function rowsOf(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === "object" ? one : 0));
}

/** A value that this version has no form for. */
function Unknown({ value }: { value: unknown }) {
  return (
    <div className="flex flex-col gap-2">
      <Note>This page cannot show all of this rule. The rule stays unchanged when you save other rules.</Note>
      <pre className="max-h-60 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-sm break-all whitespace-pre-wrap">
        {JSON.stringify(value, null, 2)}
      </pre>
    </div>
  );
}
