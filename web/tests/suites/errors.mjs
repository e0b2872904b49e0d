// Errors of one experiment do not affect others. Tested with the whole script.

import { idsOf, WRONG } from "../frames/errors.mjs";
import { inFrames } from "../frames.mjs";
import { html } from "../html.mjs";
import { experiment, script } from "../script.mjs";

export const name = "errors";
export const isShared = true;

/**
 * The page's own code, which is independent of ours: it records reported errors, has a clock that advances with each
 * call, so that endless loops end, and a function that leaves the page.
 */
const OWN = `<script>
  let ticks = Date.now();
  Date.now = () => (ticks += 1);
  own = [];
  told = [];
  addEventListener("ping", () => own.push("ping"));
  muriel = [["on", "error", ({ experiment_key, message }) => told.push([experiment_key, message])]];
  leave = () => history.replaceState({}, "", "/elsewhere");
</script>`;

/** A valid experiment next to the failing one, with every kind of change. */
function beside(test_id, experiment_key, target, words, px) {
  const mark = `document.documentElement.dataset.${experiment_key}`;
  const data = [{ target, innerText: words }];
  const customCSS = `${target} { letter-spacing: ${px}px }`;
  const customJS = `${mark} = 1; experiment.onCleanup(() => delete ${mark})`;
  return { test_id, experiment_key, variants: [{ data, customCSS, customJS }] };
}

/** @type {(path: string, at: number, row: any) => Promise<string>} */
const page = async (path, at, { arm, experiment: fields }) => {
  const [one, two, three] = idsOf(at);
  const targeting = { url_rule: [{ url: path, rule: "simple", allowed: true }] };
  const wrong = { test_id: two, experiment_key: "two", variants: [arm], ...fields };
  const all = [beside(one, "one", "h1", "One", 1), wrong, beside(three, "three", "p", "Three", 3)];
  const ours = await script(all.map((each) => experiment({ targeting, ...each })));
  const body = `<main><h1>Old</h1><p>Old</p></main><button onclick="own.push('click')">button</button>`;
  return html({ head: `${OWN}<script>${ours}</script>`, body });
};

const alone = {
  name: "errors in one experiment stop neither the page nor other experiments",
  async run(given) {
    const { server } = given;
    for (const [at, row] of Object.values(WRONG).entries()) {
      server.route(`/errors/${at}`, () => page(`/errors/${at}`, at, row));
    }
    server.route("/exposed/*", async ({ path }) => {
      const ids = path.slice("/exposed/".length).split(",").map(Number);
      const met = ({ events }) => events.flatMap(({ type, test_id }) => (type === "exposure" ? test_id : []));
      await server.received((all) => ids.every((id) => met(all).includes(id)));
      return "";
    });
    // Browsers open at most six connections to a server, and each page that waits here takes one.
    await inFrames(given, "errors", { together: 3 });
  },
};

export const tests = [alone];
