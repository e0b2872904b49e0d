// Fields of a goal, which depend on its type.

import type { Schemas } from "~/api/query";
import { FormNumber, FormSelect, FormText } from "~/ui/form/fields";
import type { Form } from "~/ui/form/form";
import { GOAL_PURPOSE, GOAL_TYPE, GOAL_TYPE_GROUPS, type GoalType, isMeasure } from "~/lib/goal-types";
import { Select } from "~/ui/field";

type Goal = Schemas["Goal"];

/** Values as typed: an empty text means none. */
export interface GoalValues {
  goal_name: string;
  goal_type: GoalType;
  goal_value: string;
  goal_purpose: Schemas["GoalPurpose"];
  element_url: string;
  window_days: number | null;
  min_count: number | null;
  cap: number | null;
  max_order_value: number | null;
  currency: string;
}

export const GOAL_LABELS: Record<keyof GoalValues, string> = {
  goal_name: "Name",
  goal_type: "Counts when",
  goal_value: "Value",
  goal_purpose: "Purpose",
  element_url: "Page with the element",
  window_days: "Days to convert",
  min_count: "Times it has to happen",
  cap: "Largest value per visitor",
  max_order_value: "Largest plausible order",
  currency: "Currency",
};

export const NO_GOAL: GoalValues = {
  goal_name: "",
  goal_type: "pageview",
  goal_value: "",
  goal_purpose: "sell",
  element_url: "",
  window_days: null,
  min_count: 1,
  cap: null,
  max_order_value: null,
  currency: "",
};

export function valuesOf(goal: Goal): GoalValues {
  return {
    goal_name: goal.goal_name,
    goal_type: goal.goal_type,
    goal_value: String(goal.goal_value),
    goal_purpose: goal.goal_purpose,
    element_url: goal.element_url ?? "",
    window_days: goal.window_days,
    min_count: goal.min_count,
    cap: goal.cap,
    max_order_value: goal.max_order_value,
    currency: goal.currency ?? "",
  };
}

/** Converts typed values for the API. The value is sent with its type. */
export function bodyOf(changes: Partial<GoalValues>, { goal_type, goal_value }: GoalValues): Schemas["GoalPatch"] {
  const { element_url, currency, min_count, goal_value: _, ...others } = changes;
  const number = /^\d+$/.test(goal_value.trim()) ? Number(goal_value) : goal_value;
  return {
    ...others,
    ...(("goal_type" in changes || "goal_value" in changes) && {
      goal_value: isMeasure(goal_type) ? number : goal_value,
    }),
    ...(element_url !== undefined && { element_url: element_url || null }),
    ...(currency !== undefined && { currency: currency.toUpperCase() || null }),
    ...("min_count" in changes && { min_count: min_count ?? 1 }),
  };
}

export function GoalFields({ form }: { form: Form<GoalValues> }) {
  const { goal_type, element_url, cap, max_order_value, currency } = form.values;
  const { kind, value, example, hint, about } = GOAL_TYPE[goal_type];
  const hasElement = kind === "selector" || kind === "text" || element_url !== "";
  const isOrder = goal_type === "revenue";
  return (
    <>
      <FormText
        form={form}
        name="goal_name"
        label={GOAL_LABELS.goal_name}
        required
        maxLength={255}
        autoComplete="off"
      />
      <TypeSelect form={form} hint={`A visitor converts when, after entering the experiment, ${about}.`} />
      <FormText
        form={form}
        name="goal_value"
        label={value}
        hint={
          <>
            {hint} For example <code className="font-mono wrap-anywhere text-ink">{example}</code>
          </>
        }
        required
        autoComplete="off"
        spellCheck={false}
        maxLength={2_048}
        {...(isMeasure(goal_type)
          ? { type: "number", min: 1, max: kind === "percent" ? 100 : 86_400, step: 1, className: "max-w-60" }
          : { controlClassName: "font-mono text-sm" })}
      />
      {hasElement && (
        <FormText
          form={form}
          name="element_url"
          label={GOAL_LABELS.element_url}
          aside="optional"
          hint="For people who look at the goal later. The goal counts on every page."
          type="url"
          maxLength={2_048}
          placeholder="https://"
        />
      )}
      <FormSelect
        form={form}
        name="goal_purpose"
        label={GOAL_LABELS.goal_purpose}
        hint={GOAL_PURPOSE[form.values.goal_purpose].about}
        choices={Object.entries(GOAL_PURPOSE).map(([word, { text }]) => [word, text] as const)}
        className="max-w-60"
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <FormNumber
          form={form}
          name="min_count"
          label={GOAL_LABELS.min_count}
          hint="A visitor converts when the goal has happened this many times."
          min={1}
          max={1_000}
          step={1}
        />
        <FormNumber
          form={form}
          name="window_days"
          label={GOAL_LABELS.window_days}
          aside="optional"
          hint="After entering the experiment. Empty: until it ends."
          min={1}
          max={365}
          step={1}
        />
        {(isOrder || cap !== null) && (
          <FormNumber
            form={form}
            name="cap"
            label={GOAL_LABELS.cap}
            aside="optional"
            hint="Larger sums are cut to this value, so that one visitor does not decide the result. Empty: the server cuts the largest thousandth."
            min={0}
            step="any"
          />
        )}
        {(isOrder || max_order_value !== null) && (
          <FormNumber
            form={form}
            name="max_order_value"
            label={GOAL_LABELS.max_order_value}
            aside="optional"
            hint="Larger orders are left out: they are mistakes or fakes."
            min={0}
            step="any"
          />
        )}
        {(isOrder || currency !== "") && (
          <FormText
            form={form}
            name="currency"
            label={GOAL_LABELS.currency}
            aside="optional"
            hint="Such as EUR. Empty: the currency of most buyers."
            maxLength={3}
            autoComplete="off"
          />
        )}
      </div>
    </>
  );
}

function TypeSelect({ form, hint }: { form: Form<GoalValues>; hint: string }) {
  const choose = (type: GoalType) => {
    const keeps = GOAL_TYPE[type].kind === GOAL_TYPE[form.values.goal_type].kind;
    form.set("goal_type", type);
    if (!keeps) form.set("goal_value", type === form.stored.goal_type ? form.stored.goal_value : "");
  };
  return (
    <Select
      name="goal_type"
      label={GOAL_LABELS.goal_type}
      hint={hint}
      value={form.values.goal_type}
      onChange={({ target }) => choose(target.value as GoalType)}
      error={form.errorOf("goal_type")}
    >
      {GOAL_TYPE_GROUPS.map(([group, types]) => (
        <optgroup key={group} label={group}>
          {types.map((type) => (
            <option key={type} value={type}>
              {GOAL_TYPE[type].text}
            </option>
          ))}
        </optgroup>
      ))}
    </Select>
  );
}
