// Locations of visitors: countries by name, regions and cities as typed.

import type { Schemas } from "~/api/query";
import { Picker } from "~/ui/picker";
import type { Rules } from "./kinds";
import { COUNTRIES, countryName } from "~/lib/locale-names";
import type { RuleProps } from "./rule";

type Country = Schemas["Country"];
type Place = Schemas["Place"];

export function CountriesRule({ rule, set, place, problem }: RuleProps<Rules["allowed_country"]>) {
  const side = (mode: Country["rule"], label: string, hint?: string) => (
    <Picker
      label={label}
      hint={hint}
      name={place}
      error={problemOf(rule, mode, place, problem)}
      options={COUNTRIES}
      chosen={rule.filter((one) => one.rule === mode).map((one) => one.code)}
      textOf={(code) => rule.find((one) => one.code === code)?.name ?? code}
      placeholder="Search countries"
      onChange={(codes) =>
        set(chosen(rule, mode, codes, "code", (code) => ({ name: countryName(code), code, rule: mode })))
      }
    />
  );
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {side("whitelist", "Only these")}
      {side("blacklist", "Not these", "Takes precedence over “Only these”.")}
    </div>
  );
}

export function PlacesRule({ rule, set, place, problem, example }: RuleProps<Place[]> & { example: string }) {
  const side = (mode: Place["rule"], label: string, hint?: string) => (
    <Picker
      label={label}
      hint={hint}
      name={place}
      error={problemOf(rule, mode, place, problem)}
      options={[]}
      takesOthers
      chosen={rule.filter((one) => one.rule === mode).map((one) => one.name)}
      placeholder={example}
      onChange={(names) => set(chosen(rule, mode, names, "name", (name) => ({ name, rule: mode })))}
    />
  );
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {side("equal", "Only these")}
      {side("notEqual", "Not these", "Takes precedence over “Only these”.")}
    </div>
  );
}

/** Returns the rule with these values for `mode`. Entries that stay keep their content and order. */
function chosen<E extends { rule: string }>(
  rule: readonly E[],
  mode: E["rule"],
  values: readonly string[],
  name: keyof E,
  make: (value: string) => E,
): E[] {
  const has = (value: string) => rule.some((one) => one.rule === mode && one[name] === value);
  const kept = rule.filter((one) => one.rule !== mode || values.includes(one[name] as string));
  return [...kept, ...values.filter((value) => !has(value)).map(make)];
}

/** Returns the problem of an entry with `mode`. */
function problemOf(
  rule: readonly { rule: string; name: string }[],
  mode: string,
  place: string,
  problem: (place: string) => string | undefined,
): string | undefined {
  for (const [at, one] of rule.entries()) {
    const found = one.rule === mode ? problem(`${place}[${at}]`) : undefined;
    if (found !== undefined) return `${one.name}: ${found}`;
  }
  return undefined;
}
