// Tests one page with its experiments: the same steps are done without the script first, then with it.

import { until } from "../tests/engines/page.mjs";
import { serve } from "./site.mjs";

/** The checks, in the order of the table's columns. */
export const CHECKS = ["original", "shift", "errors", "content", "words", "exposures"];

/** Number of frames examined after each step, so that corrections which the page makes later are seen. */
const FRAMES = 6;

/**
 * Raises the script's time limit for hiding elements from a second to a minute: on a busy machine, frameworks may need
 * longer than a second.
 */
const PATIENT = `const wait = setTimeout; window.setTimeout = (call, ms, ...more) => wait(call, ms === 1000 ? 60000 : ms, ...more);`;

/** Makes a condition return a boolean. It may return an element, which engines cannot pass out of the page. */
const truth = (condition) => `!!(${condition})${typeof condition === "function" ? "()" : ""}`;

/** Goes through a page's steps once. Returns the texts of the page after each step, and what its frames showed. */
async function walk(page, address, { steps = [], ready, ignore = [] }, errorsOf) {
  const before = errorsOf().length;
  await page.goto(address);
  const read = [];
  const settle = async (name) => {
    await page.evaluate((count) => watched.pass(count), FRAMES);
    read.push({ name, ...(await page.evaluate((ignore) => watched.texts(ignore), ignore)) });
  };
  if (ready) await page.waitFor(truth(ready));
  await settle("loaded");
  for (const { name, act, until: condition } of steps) {
    // `page.click` does not understand selectors into shadow roots.
    if (act.click?.includes(">>>")) await page.evaluate((selector) => watched.all(selector)[0].click(), act.click);
    else if (act.click) await page.click(act.click);
    else if (act.type) await page.type(...act.type);
    else if (act.press) await page.press(act.press);
    else if (act.back) await page.evaluate("void history.back()");
    else await page.evaluate(act);
    if (condition) await page.waitFor(truth(condition));
    await settle(name);
  }
  const frames = await page.evaluate("watched.frames()");
  return { read, frames: { ...frames, errors: [...frames.errors, ...errorsOf().slice(before)] } };
}

/** Describes the differences between the texts of two walks. */
function differences(plain, changed) {
  return plain.flatMap(({ name, own, counts }, at) => {
    const other = changed[at];
    const flaws = other.strays.map((each) => `${name}: not where it belongs: ${each}`);
    const place = own.findIndex((text, index) => text !== other.own[index]);
    const first = place < 0 && other.own.length > own.length ? own.length : place;
    if (first >= 0)
      flaws.push(
        `${name}: reads ${JSON.stringify(other.own[first] ?? "nothing")} for ${JSON.stringify(own[first] ?? "nothing")}, after ${JSON.stringify(own[first - 1] ?? "")}`,
      );
    counts.forEach(([seen], item) => {
      const [there] = other.counts[item];
      if (there !== seen && !other.gone[item])
        flaws.push(`${name}: item ${item} is about ${there} elements instead of ${seen}`);
    });
    return flaws;
  });
}

/**
 * Tests a page in an engine. Returns a row of the table, with a text for each check, and the failures as text.
 *
 * @param {object} fixture The argument of a test's `run` (web/tests/README.md).
 * @param {object} site A page of `pages/`.
 */
export async function visit(fixture, site) {
  const prepared = typeof site.made === "function" ? await site.made() : {};
  try {
    return await examine(fixture, { ...site, ...prepared });
  } finally {
    await prepared.close?.();
  }
}

async function examine({ page, server, muriel }, site) {
  const project = await (await muriel()).project();
  const experiments = Object.entries(site.arms);
  for (const [experiment_key, { data, fields }] of experiments) {
    // Only the checks read `view`; the API does not have it.
    const variants = [{ name: "Variant 1", data: data.map(({ view, ...item }) => item) }];
    await project.experiment({ experiment_key, variants_data_key: "http://*", variants, ...fields });
  }
  const items = experiments.flatMap(([, { data }]) => data);
  const { carry } = serve(server, { ...site, items, before: site.hydrates ? PATIENT : "" });
  const address = server.url(site.path ?? "/");

  // Console messages of the browser itself, for example about missing files. WebKit's driver does not report them.
  const console_ = [];
  page.page?.on?.("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && /^Failed to load resource|was blocked|Refused to/.test(text))
      console_.push(`${text} ${message.location?.().url ?? ""}`);
  });
  const errorsOf = () => console_;

  const plain = await walk(page, address, site, errorsOf);

  const arms = Object.fromEntries(experiments.map(([key]) => [key, 1]));
  const visitor = await project.visitor(arms, { url: address });
  const src = `${project.server.url}/js/${project.key}.js`;
  /** Goes through the page again with empty storage, with the script at this address or, with null, without one. */
  const again = async (script) => {
    await page.goto(server.url("/nothing"));
    await page.evaluate((id) => {
      localStorage.clear();
      sessionStorage.clear();
      localStorage.muriel_id = id;
    }, visitor);
    carry(script);
    return walk(page, address, site, errorsOf);
  };
  const changed = await again(src);
  for (const read of changed.read) read.gone = items.map((item) => !!(item.rm || item.outerHTML));

  const failures = [];
  const check = (isFine, text) => isFine || failures.push(text);

  items.forEach((item, at) => {
    const what = JSON.stringify(item).slice(0, 80);
    check(plain.frames.original[at] > 0, `words: without the script no frame shows what ${what} is to change`);
    check(
      changed.frames.original[at] === 0,
      `original: ${changed.frames.original[at]} frames, of ${what}: ${changed.frames.examples}`,
    );
    check(changed.frames.changed[at] > 0, `words: no frame shows ${what}`);
  });
  check(changed.frames.elsewhere === 0, `content: ${changed.frames.elsewhere} frames: ${changed.frames.examples}`);
  for (const text of differences(plain.read, changed.read)) check(false, `content: ${text}`);
  const last = changed.read.at(-1);
  last.counts.forEach(([seen, right], at) =>
    check(seen === right, `words: in the end ${seen - right} of ${seen} are not as item ${at} wants them`),
  );
  const added = changed.frames.errors.filter(
    (text) => !plain.frames.errors.some((other) => other.replace(/\d+/g, "") === text.replace(/\d+/g, "")),
  );
  check(added.length === 0, `errors: ${added.join("; ")}`);
  const { shift } = changed.frames;
  let own = plain.frames.shift;
  // The tolerance: a line that an arm adds may enlarge the page's own shift, and no two loads shift by exactly the
  // same.
  const isFine = () => shift === null || shift <= own * 1.01 + 0.0005;
  // It is chance whether a frame falls between two steps of the page's own: the largest shift without the script
  // counts.
  for (let more = 0; !isFine() && more < 4; more += 1) own = Math.max(own, (await again(null)).frames.shift);
  check(isFine(), `shift: ${shift}, without the script ${own}`);

  const exposed = async () => {
    const events = await project.events();
    return new Set(
      events.filter(({ type, visitor: { id } }) => type === "exposure" && id === visitor).map(({ test_id }) => test_id),
    ).size;
  };
  let exposures = 0;
  await until("every exposure is in the log", async () => (exposures = await exposed()) === experiments.length).catch(
    ({ message }) => check(false, `exposures: ${message}`),
  );

  const sum = (numbers) => Math.max(0, ...numbers);
  const measured = (value) => (value === null ? "–" : String(+value.toFixed(4)));
  return {
    failures,
    cells: {
      original: `${sum(plain.frames.original)} → ${sum(changed.frames.original)}`,
      shift: `${measured(own)} → ${measured(shift)}`,
      errors: String(added.length),
      content: String(changed.frames.elsewhere + differences(plain.read, changed.read).length),
      words: `${items.filter((_, at) => changed.frames.changed[at] > 0).length}/${items.length}`,
      exposures: `${exposures}/${experiments.length}`,
    },
  };
}
