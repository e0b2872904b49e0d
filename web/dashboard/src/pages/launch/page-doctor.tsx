// Diagnosis of an experiment in the page itself: messages of previews, what to type, and the doctor.

import { Card } from "~/ui/layout";
import { Copyable } from "~/ui/copyable";
import type { Experiment } from "~/experiment/open";

export function PageDoctor({ projectKey, experiment }: { projectKey: string; experiment: Experiment }) {
  return (
    <Card title="If the page does not show it" about="Three ways to find out why, from the page's own point of view.">
      <ol className="flex list-none flex-col gap-5">
        <li>
          <h3 className="font-medium">Open a preview</h3>
          <p className="text-soft">
            Its badge in the corner names the variant and its trigger, code that failed, and each selector that matches
            nothing. If there is no preview, the badge says why.
          </p>
        </li>
        <li className="flex flex-col gap-2.5">
          <div>
            <h3 className="font-medium">Ask the script</h3>
            <p className="text-soft">
              In the console of the browser, on the page. The browser takes part like a visitor, so this works once the
              experiment is live.
            </p>
          </div>
          <Copyable
            label="Which variant this browser has"
            text={`muriel.variant(${JSON.stringify(experiment.experiment_key)})`}
            hint="null: this page or this visitor is not in the experiment. If muriel is not defined, the script is not on the page."
          />
          <Copyable
            label="Errors of the script"
            text={'muriel.push(["on", "error", console.warn])'}
            hint="It also prints the errors that came before."
          />
        </li>
        <li className="flex flex-col gap-2.5">
          <div>
            <h3 className="font-medium">Run the doctor</h3>
            <p className="text-soft">
              On a computer with the program muriel. The doctor fetches the page as a browser would, and says whether
              the script is in the right place, what the page's policy forbids, and whether events arrive.
            </p>
          </div>
          <Copyable
            label="Command for the doctor"
            hidesLabel
            text={`muriel doctor ${quoted(experiment.url)} --project ${projectKey}`}
          />
        </li>
      </ol>
    </Card>
  );
}

/** Quotes text for a shell: an address can have special characters. */
function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
