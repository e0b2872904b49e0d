// The shared page: the result with the filters that the link fixes, or the reason why it is not shown.

import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { date, moment } from "~/lib/format";
import { usePageTitle } from "~/lib/page";
import { track } from "~/api/settled";
import { STATUS } from "~/lib/words";
import { BreakdownTable } from "~/experiment/result/tables/breakdown-table";
import { Waiting } from "~/experiment/result/freshness";
import { DIMENSION, narrowings } from "~/experiment/result/question-words";
import type { Dimension } from "~/experiment/result/question";
import { ResultSections } from "~/experiment/result/sections";
import { questionOf } from "~/experiment/result/query-words";
import { WordBadge } from "~/ui/badge";
import { Mark } from "~/ui/icon";
import { Card, Empty, Note } from "~/ui/layout";
import { ErrorPanel, Lines, Loading } from "~/ui/loaded";
import { ending } from "./ended";
import { type Shared, useShared } from "./read";
import { resultOf } from "./result-of";

export function SharedPage({ address }: { address: string }) {
  const [attempt, setAttempt] = useState(0);
  return (
    <div className="mx-auto flex min-h-dvh w-full max-w-290 flex-col gap-5 px-4 py-5 md:px-8 md:py-7">
      <header className="flex items-center gap-2 text-sm text-soft">
        <Mark />
        Muriel, a shared result
      </header>
      <main className="flex flex-col gap-5">
        <Content key={attempt} address={address} readAgain={() => setAttempt(attempt + 1)} />
      </main>
    </div>
  );
}

function Content({ address, readAgain }: { address: string; readAgain: () => void }) {
  const reading = useShared<Shared>(`${address}/result`);
  usePageTitle(reading.state === "shown" ? reading.shown.test_name : "Shared result");
  switch (reading.state) {
    case "shown":
      return <Shown address={address} shared={reading.shown} />;
    case "failed": {
      const { failure } = reading;
      const ended = ending(failure.code);
      return ended === undefined ? (
        <Titled title="The result cannot be shown now">
          <ErrorPanel error={failure} retry={readAgain} />
        </Titled>
      ) : (
        <Card flush>
          <Ended title={ended.title}>{ended.next}</Ended>
        </Card>
      );
    }
    case "waiting":
      return (
        <Titled title="The result is loading">
          <Waiting why={reading.why} isOutdated={false} />
        </Titled>
      );
    case "reading":
      return (
        <Titled title="Shared result">
          <Loading>
            <Lines count={12} />
          </Loading>
        </Titled>
      );
  }
}

function Titled({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
      {children}
    </>
  );
}

/** Reason why the result is not shown. Focuses the heading, because screen readers would otherwise announce nothing. */
function Ended({ title, children }: { title: string; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-14 text-center">
      <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold outline-none">
        {title}
      </h1>
      <p className="max-w-110 text-soft text-pretty">{children}</p>
    </div>
  );
}

const DaysOf = lazy(() => track(import("./days").then((days) => ({ default: days.DaysOf }))));

function Shown({ address, shared }: { address: string; shared: Shared }) {
  const result = resultOf(shared);
  const about = narrowings(questionOf(shared.query));
  const { breakdown_by: dimension } = shared.query;
  return (
    <>
      <Head shared={shared} />
      <Fixed shared={shared} about={about} />
      <ResultSections
        result={result}
        about={about}
        isShared
        places={{
          nobody: (
            <Card flush>
              <Empty icon="people" title={about.length > 0 ? "No visitor matches the filters" : "Nobody entered yet"}>
                There are no numbers to show.
              </Empty>
            </Card>
          ),
          overTime: shared.goal_key !== null && (
            <Card title="Day by day" about="The result at the end of each day: all visitors until then.">
              <Suspense fallback={<Lines count={10} />}>
                <DaysOf address={address} shared={shared} />
              </Suspense>
            </Card>
          ),
          breakdown: dimension !== null && result.breakdowns.length > 0 && (
            <Card
              flush
              title="Segments"
              about={`The same comparison, broken down by one attribute: ${dimensionWord(dimension)}.`}
            >
              <div className="px-4 pb-4 md:px-5">
                <Note>
                  Ideas for the next experiment, not verdicts. One in twenty segments stands out by chance, and these
                  numbers are not corrected for that.
                </Note>
              </div>
              <BreakdownTable result={result} />
            </Card>
          ),
        }}
      />
    </>
  );
}

function Head({
  shared: { test_name: name, status_code: status, start_date: start, end_date: end },
}: {
  shared: Shared;
}) {
  return (
    <div className="flex flex-col gap-1">
      <h1 className="max-w-160 text-2xl font-semibold tracking-tight break-words">{name}</h1>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-soft">
        <WordBadge word={STATUS[status as keyof typeof STATUS]} />
        {start !== null && (
          <span>
            {dayOf(start)} to {dayOf(end)}
          </span>
        )}
      </p>
    </div>
  );
}

/** Choices of the person who created the link, such as goal, filters and time zone. */
function Fixed({ shared, about }: { shared: Shared; about: string[] }) {
  const { query, as_of: asOf, expires_at: expires, goal_name: goal } = shared;
  const facts: [string, string][] = [
    ["Goal", goal ?? "None"],
    ["Visitors", about.length > 0 ? about.join(", ") : "All of them"],
    ["As of", moment(asOf)],
    ["Days begin", `at midnight, ${query.tz}`],
    ["Link works until", moment(expires)],
  ];
  return (
    <section aria-label="What is shown" className="flex flex-col gap-1 border-y border-line py-3">
      <dl className="flex flex-wrap gap-x-7 gap-y-2">
        {facts.map(([name, value]) => (
          <div key={name} className="min-w-0">
            <dt className="text-sm text-soft">{name}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="text-sm text-soft">
        The person who shared the result chose the goal, visitors and days. Numbers are at most a minute old when the
        page is loaded.
      </p>
    </section>
  );
}

function dimensionWord(dimension: string): string {
  return DIMENSION[dimension as Dimension] ?? dimension;
}

function dayOf(iso: string | null): string {
  return date(iso && `${iso}T12:00:00`);
}
