// Rules that are a choice of words.

import { Choice, Choices } from "~/ui/field";
import { Picker } from "~/ui/picker";
import type { Rules } from "./kinds";
import { LANGUAGES, languageName } from "~/lib/locale-names";
import type { RuleProps } from "./rule";

/** Choice of several words. */
export function WordsRule<W extends string>({
  rule,
  set,
  place,
  problem,
  words,
  legend,
}: RuleProps<W[]> & { words: Record<W, string>; legend: string }) {
  return (
    <Choices legend={<span className="sr-only">{legend}</span>} error={problem(place)}>
      <div className="-mt-1.5 flex flex-wrap gap-x-6 gap-y-2.5">
        {(Object.entries(words) as [W, string][]).map(([word, text]) => (
          <Choice
            key={word}
            name={place}
            label={text}
            checked={rule.includes(word)}
            onChange={({ target }) => set(target.checked ? [...rule, word] : rule.filter((one) => one !== word))}
          />
        ))}
      </div>
    </Choices>
  );
}

export function UserRule({ rule, set, place, problem }: RuleProps<Rules["user_rule"]>) {
  const word = typeof rule === "string" ? rule : rule[0];
  // The two spellings mean the same. A rule keeps its spelling.
  const choose = (next: string) => set(typeof rule === "string" ? next : [next]);
  return (
    <Choices legend={<span className="sr-only">New or returning</span>} error={problem(place)}>
      <div className="-mt-1.5 flex flex-wrap gap-x-6 gap-y-2.5">
        {[
          ["new", "New: their first visit"],
          ["returning", "Returning: they have come before"],
        ].map(([value, text]) => (
          <Choice
            key={value}
            kind="radio"
            name={place}
            label={text}
            checked={word === value}
            onChange={() => choose(value as string)}
          />
        ))}
      </div>
    </Choices>
  );
}

export function LanguagesRule({ rule, set, place, problem }: RuleProps<Rules["browser_language_rule"]>) {
  return (
    <Picker
      label="Languages"
      hint="One match is enough. You can also type a tag that is not in the list, such as pt-AO."
      name={place}
      error={problem(place)}
      options={LANGUAGES}
      textOf={languageName}
      takesOthers
      chosen={rule}
      onChange={set}
      placeholder="Search languages"
    />
  );
}

export function AudiencesRule({ rule, set, place, problem }: RuleProps<Rules["ga4_rule"]>) {
  return (
    <Picker
      label="Names of audiences"
      name={place}
      error={problem(place)}
      options={[]}
      takesOthers
      chosen={rule}
      onChange={set}
      placeholder="Type a name, then Enter"
    />
  );
}
