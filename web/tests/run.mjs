// run.mjs [--engine NAME]… [--suite NAME]… [--test TEXT] [--jobs N]: runs the suites in real browsers.
//
// Several engines are as many processes, which run side by side. The last line is `browsers: N passed, N failed, N skipped`.
// README.md says how suites are written.

import { readdirSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { start, stop } from "./children.mjs";
import { inEngine } from "./engine.mjs";
import { isProved } from "./rig.mjs";

const ENGINES = ["chromium", "firefox", "webkit"];

const { values } = parseArgs({
  options: {
    engine: { type: "string", multiple: true, default: ENGINES },
    suite: { type: "string", multiple: true },
    test: { type: "string", default: "" },
    jobs: { type: "string", default: String(Math.max(1, Math.ceil(cpus().length / 2))) },
  },
});
const jobs = Number(values.jobs);
if (!(Number.isInteger(jobs) && jobs >= 1))
  throw new Error(`--jobs must be a whole number from 1 on, not ${values.jobs}`);
const unknown = values.engine.filter((name) => !ENGINES.includes(name));
if (unknown.length > 0) throw new Error(`no engine is called ${unknown}; there are ${ENGINES}`);

/** Cleanup functions that run before a signal ends this process. */
const closing = [];
let stopping = false;
/** @type {[NodeJS.Signals, number][]} */
const SIGNALS = [
  ["SIGINT", 2],
  ["SIGTERM", 15],
  ["SIGHUP", 1],
];
for (const [name, number] of SIGNALS) {
  process.once(name, async () => {
    stopping = true;
    await Promise.all(closing.map((close) => close()));
    process.exit(128 + number);
  });
}

/** All suites except measurements, or those that were named. */
async function suites() {
  const files = readdirSync(new URL("suites/", import.meta.url)).filter((file) => file.endsWith(".mjs"));
  const all = await Promise.all(files.sort().map((file) => import(`./suites/${file}`)));
  const unknown = (values.suite ?? []).filter((name) => !all.some((suite) => suite.name === name));
  if (unknown.length > 0) throw new Error(`no suite is called ${unknown}; there are ${all.map(({ name }) => name)}`);
  return all.filter(({ name, isAsked }) => values.suite?.includes(name) ?? !isAsked);
}

/**
 * The tests of a suite that run in this engine. Of the rig's own suite only the quick tests, if this version of the rig has passed
 * all of them with this version of the engine, unless the suite was named.
 */
function tests(suite, version) {
  const isShort = suite.quick && !values.suite && isProved(suite.name, version);
  return (isShort ? suite.quick : suite.tests).filter(({ name }) => name.includes(values.test));
}

/** Runs one engine in this process. */
async function alone(name) {
  const all = await suites();
  const options = {
    jobs,
    tests: (version) => all.flatMap((suite) => tests(suite, version).map((test) => ({ suite, test }))),
    // Only a run of the whole suite counts.
    proves: values.test === "",
    isStopping: () => stopping,
    closing,
  };
  return inEngine(name, options);
}

/** Runs an engine in a process of its own, passes its output through, and returns its counts. */
async function apart(name) {
  const chosen = (values.suite ?? []).flatMap((suite) => ["--suite", suite]);
  const args = [
    fileURLToPath(import.meta.url),
    "--engine",
    name,
    "--jobs",
    values.jobs,
    "--test",
    values.test,
    ...chosen,
  ];
  const child = start(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  // The process needs time to end its browsers.
  closing.push(() => stop(child, 30_000));
  let left = "";
  let count;
  child.stdout.setEncoding("utf8").on("data", (part) => {
    const lines = (left + part).split("\n");
    left = lines.pop();
    for (const line of lines) {
      const told = /^browsers: (\d+) passed, (\d+) failed, (\d+) skipped$/.exec(line);
      if (told) count = told.slice(1).map(Number);
      else console.log(line);
    }
  });
  const status = await new Promise((done) => child.once("error", done).once("close", done));
  if (count) return { passed: count[0], failed: count[1], skipped: count[2] };
  console.log(`FAILED ${name}: its process ended with status ${status} and no count`);
  return { passed: 0, failed: 1, skipped: 0 };
}

const counts = await Promise.all(values.engine.map(values.engine.length > 1 ? apart : alone));
// A signal ends this process once everything is closed.
if (stopping) await new Promise(() => {});
const sum = (what) => counts.reduce((total, count) => total + count[what], 0);
console.log(`browsers: ${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
// Exit explicitly, as an open handle may keep the process alive.
process.exit(sum("failed") > 0 || sum("passed") === 0 ? 1 : 0);
