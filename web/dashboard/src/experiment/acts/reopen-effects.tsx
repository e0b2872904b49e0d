// Effects of reopening an experiment, for all dialogs that ask about it.

import { STATUS } from "~/lib/words";
import { armName } from "../outcomes";
import type { Experiment } from "../open";

export function ReopenEffects({ experiment }: { experiment: Experiment }) {
  const { status, is_deploy: isServed, serving_variant_id: arm } = experiment;
  return (
    <ul className="flex list-disc flex-col gap-1.5 pl-5">
      <li>
        The conclusion is taken back, with its note and the verdict of that moment. History keeps outcome and note.
      </li>
      <li>
        Its status stays as it is: {STATUS[status].text.toLowerCase()}.{" "}
        {status !== 1 && "Start it again if it is to go on."}
      </li>
      {isServed === 1 && arm && <li>{armName(arm)} goes on being served.</li>}
      <li>
        {isServed === 1
          ? "Rules that end it by themselves, such as an end date, act again once nothing is served any more."
          : "Rules that act by themselves, such as an end date, act again."}
      </li>
    </ul>
  );
}
