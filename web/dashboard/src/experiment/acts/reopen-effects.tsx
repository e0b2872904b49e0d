// Effects of reopening an experiment, for all dialogs that ask about it.

import { STATUS } from "~/lib/words";
import { armName } from "../outcomes";
import type { Experiment } from "../open";

export function ReopenEffects({ experiment }: { experiment: Experiment }) {
  const { status, is_deploy: isServed, serving_variant_id: arm } = experiment;
  return (
    <ul className="flex list-disc flex-col gap-1.5 pl-5">
      <li>The conclusion is removed, with its note and its stored verdict. History keeps the outcome and the note.</li>
      <li>
        Its status stays as it is: {STATUS[status].text.toLowerCase()}. {status !== 1 && "Start it again to continue."}
      </li>
      {isServed === 1 && arm && <li>{armName(arm)} continues to be served.</li>}
      <li>
        {isServed === 1
          ? "Rules that end it automatically, such as an end date, act again once no winner is served."
          : "Automatic rules, such as an end date, act again."}
      </li>
    </ul>
  );
}
