// Evaluates a made-up visitor: the server's decision, step by step. It uses the saved rules.

import { capital } from "~/lib/capital";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { failureFrom } from "~/api/failure";
import { query } from "~/api/query";
import { Button, IconButton } from "~/ui/button";
import { Select, TextInput } from "~/ui/field";
import { Card, Note } from "~/ui/layout";
import { ErrorPanel, Lines } from "~/ui/loaded";
import { useExperiment } from "~/experiment/open";
import { ExplanationView } from "./explanation";
import { BROWSERS, DEVICES, isRule, SOURCES, SYSTEMS } from "./kinds";
import { COUNTRIES } from "~/lib/locale-names";
import { fieldNamed, focusSoon, replaced } from "./rule";
import { and } from "./words";

type Facts = Record<string, string>;
type Attribute = readonly [name: string, value: string];

export function TryVisitor({ isUnsaved }: { isUnsaved: boolean }) {
  const { projectKey, experiment } = useExperiment();
  const [facts, setFacts] = useState<Facts>({ visitor: "visitor-1", url: experiment.url });
  const [attributes, setAttributes] = useState<Attribute[]>([]);
  const [asked, setAsked] = useState<Facts>();
  const explained = useQuery({
    ...query("/v2/project/{project_key}/experiment/{test_id}/explain", {
      path: { project_key: projectKey, test_id: experiment.test_id },
      // All other parameters are context.
      query: (asked ?? {}) as { visitor: string },
    }),
    enabled: asked !== undefined,
    placeholderData: (before) => before,
    retry: false,
  });
  const failure = explained.isError ? failureFrom(explained.error) : undefined;
  const problem = (name: string) => failure?.fields.find(({ field }) => field === name)?.message;
  const isAtFields = failure?.fields.length && failure.fields.every(({ field }) => FIELDS.has(field));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const next = questionOf(facts, attributes);
    if (JSON.stringify(next) === JSON.stringify(asked)) explained.refetch();
    else setAsked(next);
  };
  const unsaid = unsayable(experiment.targeting);
  return (
    <Card title="Try a visitor" about="Make up a visitor and see what the server decides and why. Nothing is recorded.">
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        {isUnsaved && <Note tone="caution">You have unsaved changes. This uses the saved rules.</Note>}
        {unsaid.length > 0 && (
          <Note>
            {capital(and(unsaid))} cannot be set here, so{" "}
            {unsaid.length === 1 ? "that rule counts" : "those rules count"} as not known.
          </Note>
        )}
        <VisitorFields facts={facts} set={(name, value) => setFacts({ ...facts, [name]: value })} problem={problem} />
        <Attributes attributes={attributes} set={setAttributes} />
        <div>
          <Button type="submit" isBusy={explained.isFetching}>
            Try this visitor
          </Button>
        </div>
      </form>
      {failure && !isAtFields && (
        <div className="mt-4">
          <ErrorPanel error={failure} />
        </div>
      )}
      {asked !== undefined && !failure && (
        <div className="mt-5 border-t border-line pt-4" aria-live="polite" aria-busy={explained.isFetching}>
          {explained.data ? <ExplanationView explanation={explained.data} /> : <Lines count={4} />}
        </div>
      )}
    </Card>
  );
}

/** Conditions that the operation has no parameter for. */
function unsayable(targeting: { event_rule?: unknown; ga4_rule?: unknown }): string[] {
  return [
    isRule(targeting.event_rule) ? "earlier events" : "",
    isRule(targeting.ga4_rule) ? "audiences of analytics" : "",
  ].filter(Boolean);
}

/** Parameters for the facts that were filled in. Missing facts are unknown. */
function questionOf(facts: Facts, attributes: readonly Attribute[]): Facts {
  const named = attributes
    .filter(([name]) => name.trim() !== "")
    .map(([name, value]): Attribute => [name.trim(), value]);
  return {
    ...Object.fromEntries(named),
    ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== "")),
  };
}

type Options = readonly (readonly [string, string])[];

const WORDS: readonly (readonly [name: string, label: string, Options])[] = [
  ["country", "Country", COUNTRIES],
  ["device", "Device", Object.entries(DEVICES)],
  ["os", "Operating system", Object.entries(SYSTEMS)],
  ["browser", "Browser", Object.entries(BROWSERS)],
  [
    "visitor_type",
    "New or returning",
    [
      ["new", "New"],
      ["returning", "Returning"],
    ],
  ],
  ["source", "Kind of source", Object.keys(SOURCES).map((word) => [word, word])],
];

const TEXTS: readonly (readonly [name: string, label: string, example: string])[] = [
  ["language", "Language", "en-GB"],
  ["region", "Region", "California (US)"],
  ["city", "City", "Berlin (Berlin)"],
  ["referrer", "Previous page", "https://www.google.com/"],
  ["ip", "IP address", "203.0.113.7"],
  ["user_agent", "User agent of the browser", "Mozilla/5.0 …"],
];

const FIELDS = new Set(["visitor", "url", ...WORDS.map(([name]) => name), ...TEXTS.map(([name]) => name)]);

interface FieldsProps {
  facts: Facts;
  set: (name: string, value: string) => void;
  problem: (name: string) => string | undefined;
}

function VisitorFields({ facts, set, problem }: FieldsProps) {
  const text = (name: string, label: string, example?: string, hint?: string) => (
    <TextInput
      key={name}
      label={label}
      name={`try.${name}`}
      value={facts[name] ?? ""}
      placeholder={example}
      hint={hint}
      spellCheck={false}
      autoCapitalize="off"
      autoComplete="off"
      error={problem(name)}
      onChange={({ target }) => set(name, target.value)}
    />
  );
  return (
    <>
      <div className="grid items-start gap-3 sm:grid-cols-[12rem_minmax(0,1fr)]">
        {text("visitor", "Visitor", "", "The visitor's id. Another id may get another variant.")}
        {text("url", "Address of the page", "https://shop.example/")}
      </div>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        {WORDS.map(([name, label, options]) => (
          <Select
            key={name}
            label={label}
            value={facts[name] ?? ""}
            error={problem(name)}
            onChange={({ target }) => set(name, target.value)}
          >
            <option value="">Not known</option>
            {options.map(([value, text]) => (
              <option key={value} value={value}>
                {capital(text)}
              </option>
            ))}
          </Select>
        ))}
      </div>
      <details>
        <summary className="w-fit font-medium">Language, place and connection</summary>
        <p className="mt-1 text-sm text-soft">
          If place and device are empty, they follow from the IP address and the user agent.
        </p>
        <div className="mt-3 grid items-start gap-3 xs:grid-cols-2 sm:grid-cols-3">
          {TEXTS.map(([name, label, example]) => text(name, label, example))}
        </div>
      </details>
    </>
  );
}

function Attributes({ attributes, set }: { attributes: Attribute[]; set: (attributes: Attribute[]) => void }) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 font-medium">Attributes</legend>
      {attributes.map(([name, value], at) => (
        <div key={at} className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] gap-2 sm:max-w-120">
          <TextInput
            label="Name"
            hidesLabel
            name={`try.attribute.${at}`}
            placeholder="plan"
            value={name}
            onChange={({ target }) => set(replaced(attributes, at, [target.value, value]))}
          />
          <TextInput
            label={`Value of ${name || "the attribute"}`}
            hidesLabel
            placeholder="pro"
            value={value}
            onChange={({ target }) => set(replaced(attributes, at, [name, target.value]))}
          />
          <IconButton
            icon="close"
            label={`Remove the attribute ${name || "without a name"}`}
            onClick={() => {
              set(replaced(attributes, at));
              focusSoon("[data-adds=attribute]");
            }}
          />
        </div>
      ))}
      <div>
        <Button
          small
          icon="plus"
          data-adds="attribute"
          onClick={() => {
            set([...attributes, ["", ""]]);
            focusSoon(fieldNamed(`try.attribute.${attributes.length}`));
          }}
        >
          Add an attribute
        </Button>
      </div>
    </fieldset>
  );
}
