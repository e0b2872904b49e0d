// Pages of an experiment: addresses that are included or excluded.

import { useRef } from "react";
import type { Schemas } from "~/api/query";
import { Button, IconButton } from "~/ui/button";
import { Select, TextInput } from "~/ui/field";
import type { Rules } from "./kinds";
import { fieldNamed, focusSoon, type RuleProps, replaced } from "./rule";

type UrlRule = Schemas["UrlRule"];

const MATCHES: readonly (readonly [UrlRule["rule"], string, example: string])[] = [
  ["contain", "addresses that contain", "/checkout"],
  ["simple", "the page", "https://shop.example/checkout"],
  ["exact", "exactly the address", "https://shop.example/checkout?step=2"],
  ["wildcard", "addresses like", "https://shop.example/products/*"],
  ["regex", "addresses matching", "/products/[0-9]+$"],
];

const MEANINGS: Record<UrlRule["rule"], string> = {
  contain: "The text occurs anywhere in the address. Capitals do not matter.",
  simple: "The same page. Anything after a question mark or # is ignored.",
  exact: "The same address with its parameters.",
  wildcard: "* stands for any characters, or none.",
  regex: "A regular expression that occurs anywhere in the address. Capitals matter.",
};

export function PagesRule({ rule, set, place, problem }: RuleProps<Rules["url_rule"]>) {
  const adds = useRef<HTMLDivElement>(null);
  const add = (allowed: boolean) => {
    set([...rule, { url: "", rule: "contain", allowed }]);
    focusSoon(fieldNamed(`${place}[${rule.length}].url`));
  };
  return (
    <div className="flex flex-col gap-3">
      {rule.length > 0 && (
        <ul className="flex flex-col gap-3">
          {rule.map((one, at) => (
            <li key={at} className="max-xs:border-b max-xs:border-line max-xs:pb-3">
              <PageRow
                one={one}
                says={rule.findIndex((other) => other.rule === one.rule) === at}
                place={`${place}[${at}]`}
                problem={problem}
                set={(next) => set(replaced(rule, at, next))}
                remove={() => {
                  set(replaced(rule, at));
                  adds.current?.querySelector("button")?.focus();
                }}
              />
            </li>
          ))}
        </ul>
      )}
      <div ref={adds} className="flex flex-wrap gap-2 in-disabled:hidden">
        <Button small icon="plus" onClick={() => add(true)}>
          Add pages
        </Button>
        <Button small icon="plus" onClick={() => add(false)}>
          Keep pages out
        </Button>
        <Button kind="quiet" small onClick={() => focusSoon(fieldNamed("try.url"))}>
          Try an address
        </Button>
      </div>
    </div>
  );
}

interface PageRowProps {
  one: UrlRule;
  /** True when the row explains its kind of comparison. */
  says: boolean;
  place: string;
  problem: (place: string) => string | undefined;
  set: (one: UrlRule) => void;
  remove: () => void;
}

function PageRow({ one, says, place, problem, set, remove }: PageRowProps) {
  const example = MATCHES.find(([word]) => word === one.rule)?.[2];
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-2 xs:grid-cols-[7.5rem_minmax(0,1fr)_auto] sm:grid-cols-[7.5rem_13rem_minmax(0,1fr)_auto]">
      <Select
        label="Let in or keep out"
        hidesLabel
        name={`${place}.allowed`}
        value={String(one.allowed ?? true)}
        onChange={({ target }) => set({ ...one, allowed: target.value === "true" })}
        error={problem(`${place}.allowed`)}
      >
        <option value="true">Let in</option>
        <option value="false">Keep out</option>
      </Select>
      <Select
        label="How the address is compared"
        hidesLabel
        name={`${place}.rule`}
        value={one.rule}
        onChange={({ target }) => set({ ...one, rule: target.value as UrlRule["rule"] })}
        error={problem(`${place}.rule`)}
        className="max-xs:col-span-2"
      >
        {MATCHES.map(([word, text]) => (
          <option key={word} value={word}>
            {text}
          </option>
        ))}
      </Select>
      <TextInput
        label="Address"
        hidesLabel
        name={`${place}.url`}
        value={one.url}
        placeholder={example}
        hint={says && MEANINGS[one.rule]}
        spellCheck={false}
        autoCapitalize="off"
        onChange={({ target }) => set({ ...one, url: target.value })}
        error={problem(`${place}.url`)}
        className="max-xs:col-span-2 max-sm:xs:col-span-3"
      />
      <IconButton
        icon="close"
        label={`Remove ${one.url || "this row"}`}
        className="in-disabled:hidden max-xs:col-start-2 max-xs:row-start-1 max-sm:xs:col-start-3 max-sm:xs:row-start-1"
        onClick={remove}
      />
    </div>
  );
}
