// Experiments of an exclusion group with their shares, and those of a holdout: fields of the group forms.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { percentage } from "~/lib/format";
import type { Form } from "~/ui/form/form";
import { missing, together } from "~/lib/shares";
import { STATUS } from "~/lib/words";
import { Dot } from "~/ui/badge";
import { IconButton } from "~/ui/button";
import { Choice, Choices, FieldError, TextInput } from "~/ui/field";
import { type Share, ShareBar } from "~/ui/share-bar";
import { ExperimentPick } from "./experiment-pick";
import { type Item, useExperiments } from "./named-experiments";
import type { GroupValues, Member } from "./values";

interface FieldProps {
  form: Form<GroupValues>;
  projectKey: string;
}

/** Picture of the typed shares. The server decides their positions. */
export function typedShares(members: Member[], nameOf: (testId: number) => string): Share[] {
  const free = missing(members.map(({ percent }) => percent));
  return [
    ...members.map(({ test_id, percent }) => ({
      key: test_id,
      name: nameOf(test_id),
      percent: Math.max(percent ?? 0, 0),
      kind: "other" as const,
    })),
    { key: "free", name: "Free", percent: Math.max(free, 0), kind: "nobody" },
  ];
}

/** `line` is the picture of the stored shares, which is shown until something is changed. */
export function MembersField({ form, projectKey, line }: FieldProps & { line?: (names: NameOf) => ReactNode }) {
  const { members } = form.values;
  const experiments = useExperiments(
    projectKey,
    members.map(({ test_id: id }) => id),
  );
  const nameOf = (id: number) => experiments.get(id)?.test_name ?? `Experiment ${id}`;
  const isStored = line !== undefined && form.changes.members === undefined;
  const ofAll = form.failure?.fields.find(({ field }) => field === "members")?.message;
  const set = (next: Member[]) => form.set("members", next);
  return (
    <fieldset name="members" className="flex flex-col gap-3">
      <legend className="mb-1.5 font-medium">Experiments and their shares</legend>
      {isStored ? line(nameOf) : <ShareBar hasScale shares={typedShares(members, nameOf)} />}
      {line !== undefined && !isStored && (
        <p className="text-sm text-soft">
          The server places the shares when you save. Every experiment keeps as many of its visitors as the other shares
          allow.
        </p>
      )}
      {members.length > 0 && (
        <ul className="divide-y divide-line rounded-md border border-line">
          {members.map((member, at) => (
            <MemberLine
              key={member.test_id}
              projectKey={projectKey}
              id={member.test_id}
              item={experiments.get(member.test_id)}
              error={form.errorOf(`members[${at}].test_id`)}
              remove={() => set(members.filter((one) => one !== member))}
            >
              <TextInput
                hidesLabel
                label={`Share of ${nameOf(member.test_id)}, in percent of all visitors`}
                type="number"
                inputMode="decimal"
                name={`members[${at}].percent`}
                min={0.01}
                max={100}
                step={0.01}
                value={member.percent ?? ""}
                onChange={({ target: { value, valueAsNumber } }) =>
                  set(
                    members.map((one) =>
                      one === member ? { ...one, percent: value === "" ? null : valueAsNumber } : one,
                    ),
                  )
                }
                error={form.errorOf(`members[${at}].percent`)}
                aria-invalid={ofAll !== undefined || undefined}
                className="w-26"
                controlClassName="num text-right"
              />
              <span aria-hidden="true" className="-ml-1.5 py-1.5 text-soft">
                %
              </span>
            </MemberLine>
          ))}
        </ul>
      )}
      <Together members={members} />
      {ofAll && <FieldError>They {ofAll}.</FieldError>}
      <ExperimentPick
        projectKey={projectKey}
        label="Add an experiment"
        chosen={members.map(({ test_id: id }) => id)}
        onPick={(id) => set([...members, { test_id: id, percent: null }])}
      />
    </fieldset>
  );
}

export type NameOf = (testId: number) => string;

function Together({ members }: { members: Member[] }) {
  const percents = members.map(({ percent }) => percent);
  const free = missing(percents);
  return (
    <output className={free < 0 ? "font-medium text-caution" : "text-soft"}>
      Together: <span className="num">{percentage(together(percents))}</span>
      {free < 0 ? `, ${percentage(-free)} too much` : `, ${percentage(free)} free`}
    </output>
  );
}

interface LineProps {
  projectKey: string;
  id: number;
  item: Item | undefined;
  error: string | undefined;
  remove: () => void;
  children?: ReactNode;
}

function MemberLine({ projectKey, id, item, error, remove, children }: LineProps) {
  const name = item?.test_name ?? `Experiment ${id}`;
  return (
    <li className="px-3 py-2">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1 basis-50 py-1">
          <Link
            to="/p/$projectKey/experiments/$testId"
            params={{ projectKey, testId: String(id) }}
            className="link break-words"
          >
            {name}
          </Link>
          {item && (
            <div className="text-sm">
              <Dot word={STATUS[item.status]} hollow={item.status !== 1} />
            </div>
          )}
        </div>
        <div className="flex items-start gap-3">
          {children}
          <IconButton icon="close" label={`Remove ${name}`} onClick={remove} />
        </div>
      </div>
      {error && <FieldError>It {error}.</FieldError>}
    </li>
  );
}

/** Choice of the experiments that visitors of a holdout do not meet. */
export function ScopeField({ form, projectKey }: FieldProps) {
  const { scope } = form.values;
  const tests = scope === "project" ? [] : scope.tests;
  const experiments = useExperiments(projectKey, tests);
  const set = (next: number[]) => form.set("scope", { tests: next });
  const ofAll = form.failure?.fields.find(({ field }) => field === "scope" || field === "scope.tests")?.message;
  return (
    <div className="flex flex-col gap-3">
      <Choices legend="Held-out visitors do not enter" error={ofAll && `The experiments ${ofAll}.`}>
        <Choice
          kind="radio"
          name="scope"
          label="Every experiment of the project"
          hint="Also those that are created later."
          checked={scope === "project"}
          onChange={() => form.set("scope", "project")}
        />
        <Choice
          kind="radio"
          name="scope"
          label="Some experiments"
          checked={scope !== "project"}
          onChange={() => scope === "project" && set([])}
        />
      </Choices>
      {scope !== "project" && (
        <div className="flex flex-col gap-3 pl-6.5">
          {tests.length > 0 && (
            <ul aria-label="Experiments of the holdout" className="divide-y divide-line rounded-md border border-line">
              {tests.map((id, at) => (
                <MemberLine
                  key={id}
                  projectKey={projectKey}
                  id={id}
                  item={experiments.get(id)}
                  error={form.errorOf(`scope.tests[${at}]`)}
                  remove={() => set(tests.filter((one) => one !== id))}
                />
              ))}
            </ul>
          )}
          <ExperimentPick
            projectKey={projectKey}
            label="Add an experiment"
            chosen={tests}
            onPick={(id) => set([...tests, id])}
          />
        </div>
      )}
    </div>
  );
}
