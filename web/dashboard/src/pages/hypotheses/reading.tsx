// A hypothesis for users who cannot change it.

import { NOTHING } from "~/lib/format";
import { Card, Note } from "~/ui/layout";
import { Rating } from "~/ui/rating";
import { HYPOTHESIS_LABELS } from "./hypothesis-form";
import { type Hypothesis, RATINGS } from "~/experiment/hypothesis-words";

export function ReadingCard({ hypothesis }: { hypothesis: Hypothesis }) {
  return (
    <Card>
      <div className="flex flex-col gap-5">
        <Note>Your role in this project can view everything, but change nothing.</Note>
        {(["observation", "problem", "solution"] as const).map((name) => (
          <section key={name} className="max-w-170">
            <h2 className="font-medium">{HYPOTHESIS_LABELS[name]}</h2>
            <p className="break-words whitespace-pre-wrap">
              {hypothesis[name] ?? <span className="text-soft">{NOTHING}</span>}
            </p>
          </section>
        ))}
        <dl className="flex flex-wrap gap-x-8 gap-y-3">
          {RATINGS.map(({ name, label, ends }) => (
            <div key={name}>
              <dt className="font-medium">{label}</dt>
              <dd>
                <Rating value={hypothesis[name]} />
                <p className="text-sm text-soft">
                  1 is {ends[0]}, 5 is {ends[1]}.
                </p>
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Card>
  );
}
