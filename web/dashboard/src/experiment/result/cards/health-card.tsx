// Health of the data: failed checks with cause and next step, then passed checks, and checks without enough data.

import type { ReactNode } from "react";
import type { Schemas } from "~/api/query";
import { count, integer, probability } from "~/lib/format";
import { own } from "~/lib/own";
import { HEALTH, type Tone, type Word, wordOf } from "~/lib/words";
import { Dot, WordBadge } from "~/ui/badge";
import { GroupedTable } from "~/ui/grouped-table";
import { Card } from "~/ui/layout";
import { plainSentence } from "~/experiment/plain-sentence";
import { checkWords } from "./health-words";
import type { Arm, Check, Result } from "../reading";

type Health = Result["health"];
type Found = Check & { key: string };

/** Every check, in the order of the server. */
function checksIn(health: Health): Found[] {
  return Object.entries(health).flatMap(([key, value]: [string, unknown]) =>
    isCheck(value) ? [{ ...value, key }] : [],
  );
}

function isCheck(value: unknown): value is Check {
  return typeof value === "object" && value !== null && "status" in value && "message" in value;
}

/** Every experiment starts with little data. That needs no attention, but is not healthy either. */
const YOUNG: Word = { text: "Too early", tone: "neutral" };

function isYoung({ key, status }: Found): boolean {
  return key === "minimum_data" && status === "warn";
}

function grade(health: Health, wrong: Found[]): Word {
  return health.status === "warn" && wrong.length === 0 ? YOUNG : wordOf(HEALTH, health.status);
}

const SUMMARY: Record<Schemas["GradeWord"], string> = {
  ok: "No check found a problem with these numbers.",
  warn: "Look at this before you decide.",
  fail: "These numbers are not reliable. Find the cause first.",
  unknown: "No problem is known, but there is too little data to rule one out.",
};

interface HealthProps {
  result: Result;
  /** True for readers who cannot act on it. */
  isShared?: boolean;
  action?: ReactNode;
}

export function HealthCard({ result: { health, variants }, isShared = false, action }: HealthProps) {
  const checks = checksIn(health);
  const order = ["fail", "warn"];
  const wrong = checks
    .filter((check) => order.includes(check.status) && !isYoung(check))
    .sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  const fine = checks.filter(({ status }) => status === "ok");
  const open = checks.filter((one) => !wrong.includes(one) && !fine.includes(one));
  const word = grade(health, wrong);
  return (
    <Card title="Health" actions={<WordBadge word={word} />}>
      <div className="flex flex-col gap-3">
        <p>
          {word === YOUNG ? "There is too little data yet, as in every new experiment." : own(SUMMARY, health.status)}
        </p>
        {wrong.length > 0 && (
          <ul className="flex flex-col gap-3">
            {wrong.map((check) => (
              <Wrong key={check.key} check={check} tone={toneOf(check.status)} isShared={isShared} />
            ))}
          </ul>
        )}
        <details>
          <summary className="w-fit rounded-sm text-sm font-medium text-accent">
            {others(fine.length, open.length)}
          </summary>
          <div className="mt-3 flex flex-col gap-4">
            <Checks title="Fine" checks={fine} />
            <Checks title="Not enough data yet" checks={open} />
            {health.sample_ratio.epochs.length > 0 && <Sharing ratio={health.sample_ratio} arms={variants} />}
            <ChangesFound arms={variants} />
          </div>
        </details>
        {action}
      </div>
    </Card>
  );
}

function others(fine: number, open: number): string {
  const parts = [fine > 0 && `${count(fine, "check")} fine`, open > 0 && `${open} without enough data yet`];
  return parts.filter(Boolean).join(", ");
}

function toneOf(status: string): Tone {
  return wordOf(HEALTH, status).tone;
}

const EDGES: Record<Tone, string> = {
  neutral: "border-line",
  accent: "border-accent",
  good: "border-good",
  caution: "border-caution",
  bad: "border-bad",
};

function Wrong({ check, tone, isShared }: { check: Found; tone: Tone; isShared: boolean }) {
  const { name, cause, next } = checkWords(check.key);
  return (
    <li className={`flex flex-col gap-1 border-l-2 pl-3 ${EDGES[tone]}`}>
      <p className="font-medium">
        <Dot word={{ text: name, tone }} />
      </p>
      <p className="break-words">{plainSentence(check.message)}</p>
      <dl className="flex flex-col gap-0.5 text-soft empty:hidden">
        {cause && (
          <div>
            <dt className="inline font-medium">Usual cause: </dt>
            <dd className="inline">{cause}</dd>
          </div>
        )}
        {!isShared && (
          <div>
            <dt className="inline font-medium">What to do: </dt>
            <dd className="inline">{next}</dd>
          </div>
        )}
      </dl>
    </li>
  );
}

function Checks({ title, checks }: { title: string; checks: Found[] }) {
  if (checks.length === 0) return null;
  const isFine = checks[0]?.status === "ok";
  return (
    <section>
      <h3 className="mb-1 text-sm text-soft">{title}</h3>
      <ul className="flex flex-col gap-1.5">
        {checks.map(({ key, message }) => (
          <li key={key}>
            <Dot word={{ text: checkWords(key).name, tone: isFine ? "good" : "neutral" }} hollow={!isFine} />
            <span className="block pl-3.5 break-words text-soft">{plainSentence(message)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Shared {
  id: string;
  name: string;
  observed: number;
  expected: number;
}

/** Split of the visitors, by epoch. */
function Sharing({ ratio, arms }: { ratio: Health["sample_ratio"]; arms: Arm[] }) {
  return (
    <section>
      <h3 className="mb-1 text-sm text-soft">Sample ratio by epoch</h3>
      <div className="-mx-4 md:-mx-5">
        <GroupedTable<(typeof ratio.epochs)[number], Shared>
          label="Sample ratio by epoch"
          groupName="Epoch"
          groups={ratio.epochs}
          keyOf={({ epoch }) => String(epoch)}
          headOf={({ epoch, p_value: p }) => (
            <>
              Epoch {epoch}
              <span className="num block text-sm text-soft">p {probability(p)}</span>
            </>
          )}
          rowsOf={({ observed, expected }) =>
            arms.map(({ variant_id: id, name }, at) => ({
              id,
              name,
              observed: observed[at] ?? 0,
              expected: expected[at] ?? 0,
            }))
          }
          keyOfRow={({ id }) => id}
          columns={[
            { name: "Variant", isName: true, cell: ({ name }) => name },
            { name: "Visitors", isNumber: true, cell: ({ observed }) => integer(observed) },
            { name: "Expected", isNumber: true, cell: ({ expected }) => integer(expected) },
          ]}
        />
      </div>
    </section>
  );
}

/** Number of visitors' pages on which each change found its element. */
function ChangesFound({ arms }: { arms: Arm[] }) {
  const told = arms.filter(({ changes }) => changes.length > 0);
  if (told.length === 0) return null;
  return (
    <section>
      <h3 className="mb-1 text-sm text-soft">Pages on which changes matched</h3>
      <ul className="flex flex-col gap-0.5">
        {told.flatMap(({ variant_id: id, name, changes }) =>
          changes.map(({ index, pages, matched }) => (
            <li key={`${id} ${index}`}>
              {name}, change {index + 1}: matched an element on {integer(matched)} of {count(pages, "page")}.
            </li>
          )),
        )}
      </ul>
    </section>
  );
}
