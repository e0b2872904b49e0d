// One page under its experiments: looked at without the script first, then with it, through the same steps.

import { until } from "../tests/engines/page.mjs";
import { serve } from "./site.mjs";

/** What the table has a column for, in order. */
export const CHECKS = ["original", "shift", "errors", "content", "words", "exposures"];

/** Frames that are looked at after each step: what a page puts right later is seen by then. */
const FRAMES = 6;

/**
 * Whatever is to be hidden for a second at most, is hidden for longer: on a busy machine frameworks may take theirs.
 */
const PATIENT = `const wait = setTimeout; window.setTimeout = (call, ms, ...more) => wait(call, ms === 1000 ? 60000 : ms, ...more);`;

/** A condition as one that gives a value: not an element, which no engine hands out as a whole. */
const truth = (condition) => `!!(${condition})${typeof condition === "function" ? "()" : ""}`;

/** All steps of a page once; gives back what the page reads after each, and what its frames showed. */
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
    // The mouse finds nothing by a selector for shadow roots.
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

/** What two walks read differently, in words. */
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
 * Looks at a page in an engine; gives back a row of the table: a text for each check, and what failed, in words.
 *
 * @param {object} fixture As `run` of a test gets it (web/tests/README.md).
 * @param {object} site A page of `pages/`.
 */
export async function visit({ page, server, muriel }, site) {
  const project = await (await muriel()).project();
  const experiments = Object.entries(site.arms);
  for (const [experiment_key, { data, fields }] of experiments) {
    // `view` is for those who look alone.
    const variants = [{ name: "Variant 1", data: data.map(({ view, ...item }) => item) }];
    await project.experiment({ experiment_key, variants_data_key: "http://*", variants, ...fields });
  }
  const items = experiments.flatMap(([, { data }]) => data);
  const prepared = typeof site.made === "function" ? await site.made() : {};
  const { carry } = serve(server, { ...site, ...prepared, items, before: site.hydrates ? PATIENT : "" });
  const address = server.url(site.path ?? "/");

  // What browsers write to the console by themselves, as of files that are not there; WebKit's driver does not tell.
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
  /** Goes through the page once more, with the script where there is one, from where nothing of the page is kept. */
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
  // What a page shifts by itself may have grown by a line of ours, and no two loads shift alike to the last digit.
  const isFine = () => shift === null || shift <= own * 1.01 + 0.0005;
  // Whether a frame falls between two steps of a page's own is chance: the most that it shifts by itself counts.
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
