// Simulates the plan many times with made-up visitors. It takes long, and the server stops when the page is left.

import { useEffect, useRef, useState } from "react";
import { type Schemas, send } from "~/api/query";
import { FormNumber, FormSelect } from "~/ui/form/fields";
import { FormView, useForm } from "~/ui/form/form";
import { duration } from "~/lib/format";
import { Button } from "~/ui/button";
import { Card } from "~/ui/layout";
import { useExperiment } from "~/experiment/open";
import type { Assumed } from "./sample-size";
import { SimulationAnswer } from "./simulation-answer";

interface Wanted {
  lift: number | null;
  runs: string;
  days: number | null;
}

const RUNS = [
  ["100", "100: a first impression"],
  ["500", "500: usual"],
  ["2000", "2,000: more exact, takes longest"],
] as const;

export function SimulationCard({ assumed }: { assumed: Assumed }) {
  const { experiment } = useExperiment();
  const [answer, setAnswer] = useState<Schemas["Simulation"]>();
  const simulate = useSimulate();
  const form = useForm<Wanted>({
    stored: { lift: experiment.plan.mde ?? null, runs: "500", days: null },
    submit: async (wanted) => {
      setAnswer(undefined);
      const simulated = await simulate.run(bodyOf(wanted, assumed));
      if (simulated) setAnswer(simulated);
      return "keep";
    },
  });
  return (
    <Card
      title="Try the plan beforehand"
      about="The server runs this plan many times on made-up visitors, with its goals, shares, confidence and end rules: with a real lift, and without any. That takes from seconds to minutes."
    >
      <FormView
        form={form}
        act="Try the plan"
        isPlain
        isAlwaysReady
        aside={form.isBusy && <Progress cancel={simulate.cancel} />}
      >
        <div className="grid gap-4 sm:grid-cols-3">
          <FormNumber
            form={form}
            name="lift"
            label="True lift, in percent"
            hint="The true effect of Variant 1."
            min={-100}
            max={1000}
            step="any"
          />
          <FormSelect form={form} name="runs" label="Tries" choices={RUNS} />
          <FormNumber
            form={form}
            name="days"
            label="Days at most"
            aside="optional"
            hint="Leave it empty for the plan's own length."
            min={1}
            max={365}
            step={1}
          />
        </div>
      </FormView>
      <div role="status">{answer && <SimulationAnswer answer={answer} />}</div>
    </Card>
  );
}

function bodyOf({ lift, runs, days }: Wanted, { daily_visitors, baseline_rate }: Assumed): Schemas["SimulationBody"] {
  return {
    runs: Number(runs),
    ...(lift !== null && { lift }),
    ...(days !== null && { days }),
    ...(daily_visitors !== null && { daily_visitors }),
    ...(baseline_rate !== null && { baseline_rate }),
  };
}

/** `run` resolves to undefined if it was aborted: by `cancel`, or because the page was left. */
function useSimulate() {
  const { projectKey, experiment } = useExperiment();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const run = async (body: Schemas["SimulationBody"]): Promise<Schemas["Simulation"] | undefined> => {
    const controller = new AbortController();
    running.current = controller;
    try {
      const { data } = await send("post", "/v2/project/{project_key}/experiment/{test_id}/simulate", {
        params: { path: { project_key: projectKey, test_id: experiment.test_id } },
        body,
        signal: controller.signal,
      });
      return data;
    } catch (thrown) {
      if (controller.signal.aborted) return undefined;
      throw thrown;
    }
  };
  return { run, cancel: () => running.current?.abort() };
}

/** Time elapsed. The server does not report progress. */
function Progress({ cancel }: { cancel: () => void }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <Button onClick={cancel}>Cancel</Button>
      <span className="text-soft">
        <span role="status">The plan is being tried.</span> <span className="num">{duration(seconds)}</span>. Leaving
        the page stops it.
      </span>
    </>
  );
}
