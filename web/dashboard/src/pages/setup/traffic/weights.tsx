// Weights of the variants: a number for each, with their sum, and a picture of them.

import { percentage } from "~/lib/format";
import type { Form } from "~/ui/form/form";
import { evenShares, missing, together } from "~/lib/shares";
import { DISTRIBUTION_MODE } from "~/lib/words";
import { Button } from "~/ui/button";
import { FieldError, TextInput } from "~/ui/field";
import { ShareBar } from "~/ui/share-bar";
import type { Arm } from "~/experiment/arms";
import type { Values } from "./split-form";

/** An even split, or a weight per variant name; null while its field is empty. */
export type Split = "equal" | Record<string, number | null>;

const NAME = "configuration.distribution";

interface WeightsProps {
  form: Form<Values>;
  arms: Arm[];
  label: string;
}

export function WeightsField({ form, arms, label }: WeightsProps) {
  const split = form.values[NAME];
  const even = evenShares(arms.length);
  const weights = arms.map(({ name }, at) => (split === "equal" ? (even[at] ?? 0) : (split[name] ?? null)));
  const set = (at: number, weight: number | null) =>
    form.set(
      NAME,
      Object.fromEntries(arms.map(({ name }, each) => [name, each === at ? weight : (weights[each] ?? null)])),
    );
  const isBandit = form.values["configuration.is_mab"];
  const mode = DISTRIBUTION_MODE[isBandit ? "mab" : split === "equal" ? "equal" : "custom"];
  // An error of the whole split, which no field of a variant shows.
  const ofAll = form.failure?.fields.find(({ field }) => field === NAME)?.message;
  return (
    <fieldset name={NAME} className="flex flex-col gap-3">
      <legend className="sr-only">{label}</legend>
      <p>
        <span className="font-medium">{mode.text}.</span> <span className="text-soft">{mode.about}</span>
        {isBandit && <span className="text-soft"> The bandit continues from the weights that you set here.</span>}
      </p>
      <ShareBar
        shares={arms.map(({ name }, at) => ({
          key: name,
          name,
          percent: Math.max(weights[at] ?? 0, 0),
          kind: at === 0 ? "first" : "other",
        }))}
      />
      <ul className="flex flex-col gap-2">
        {arms.map((arm, at) => (
          <li key={arm.name}>
            <WeightInput
              arm={arm}
              weight={weights[at] ?? null}
              error={form.errorOf(`${NAME}.${arm.name}`)}
              isInvalid={ofAll !== undefined}
              set={(weight) => set(at, weight)}
            />
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Sum weights={weights} />
        <Button small icon="split" disabled={split === "equal"} onClick={() => form.set(NAME, "equal")}>
          Split evenly
        </Button>
      </div>
      {ofAll && <FieldError>Weights {ofAll}.</FieldError>}
    </fieldset>
  );
}

interface InputProps {
  arm: Arm;
  weight: number | null;
  error: string | undefined;
  isInvalid: boolean;
  set: (weight: number | null) => void;
}

function WeightInput({ arm, weight, error, isInvalid, set }: InputProps) {
  return (
    <div className="flex items-start gap-3">
      <div className="min-w-0 flex-1 py-1.5">
        <span className="font-medium">{arm.name}</span>
        {arm.nickname && <span className="text-soft"> {arm.nickname}</span>}
        {weight === 0 && <span className="text-soft">, paused: no new visitor gets it</span>}
      </div>
      <TextInput
        hidesLabel
        label={`Weight of ${arm.name}, in percent`}
        type="number"
        inputMode="decimal"
        name={`${NAME}.${arm.name}`}
        min={0}
        max={100}
        step={0.01}
        value={weight ?? ""}
        onChange={({ target }) => set(target.value === "" ? null : target.valueAsNumber)}
        error={error}
        aria-invalid={isInvalid || undefined}
        className="w-32"
        controlClassName="num text-right"
      />
      <span aria-hidden="true" className="py-1.5 text-soft">
        %
      </span>
    </div>
  );
}

function Sum({ weights }: { weights: (number | null)[] }) {
  const rest = missing(weights);
  return (
    <output className={rest === 0 ? "text-soft" : "font-medium text-caution"}>
      Sum: <span className="num">{percentage(together(weights))}</span>
      {rest > 0 && <>, {percentage(rest)} missing</>}
      {rest < 0 && <>, {percentage(-rest)} too much</>}
    </output>
  );
}
