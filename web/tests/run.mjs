// run.mjs [--engine NAME]… [--suite NAME]… [--test TEXT] [--jobs N] [--full] [--report FILE] [--times]: runs the suites in real
// browsers.
//
// Each of several engines runs in its own process, in parallel. The last line is `browsers: N passed, N failed, N
// skipped`. README.md describes how to write suites.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { start, stop } from "./children.mjs";
import { inEngine } from "./engine.mjs";
import { Results } from "./report.mjs";
import { isProved } from "./rig.mjs";

const ENGINES = ["chromium", "firefox", "webkit"];
/** Engines between which the tests of a suite with `isShared` are divided. */
const SHARING = ["firefox", "webkit"];

const { values } = parseArgs({
  options: {
    engine: { type: "string", multiple: true, default: ENGINES },
    suite: { type: "string", multiple: true },
    test: { type: "string", default: "" },
    full: { type: "boolean", default: false },
    report: { type: "string" },
    times: { type: "boolean", default: false },
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
 * The tests of a suite that run in this engine. Of the rig's own suite, only the quick tests run if this version of the
 * rig has passed all of them with this version of the engine, unless the suite was named.
 */
function tests(suite, version) {
  const isShort = suite.quick && !values.suite && isProved(suite.name, version);
  return (isShort ? suite.quick : suite.tests).filter(({ name }) => name.includes(values.test));
}

/** Returns whether a shared test runs in the other engine. Tests that some engine cannot run are not shared. */
function isElsewhere(suite, test, engine) {
  if (!suite.isShared || test.only || test.needs || values.full || values.suite) return false;
  const turn = SHARING.indexOf(engine);
  return turn !== -1 && suite.tests.indexOf(test) % SHARING.length !== turn;
}

const results = new Results();

/** Runs one engine in this process. */
async function alone(name) {
  const all = await suites();
  const options = {
    jobs,
    results,
    isFull: values.full,
    showsTimes: values.times,
    isElsewhere: ({ suite, test }) => isElsewhere(suite, test, name),
    tests: (version) => all.flatMap((suite) => tests(suite, version).map((test) => ({ suite, test }))),
    // Only a run of the whole suite counts.
    proves: values.test === "",
    isStopping: () => stopping,
    closing,
  };
  await inEngine(name, options);
}

/** Runs an engine in a separate process, passes its output through, and adds its results. */
async function apart(name) {
  const folder = mkdtempSync(join(tmpdir(), "muriel-report-"));
  const report = join(folder, "report.json");
  const chosen = (values.suite ?? []).flatMap((suite) => ["--suite", suite]);
  const args = [
    fileURLToPath(import.meta.url),
    "--engine",
    name,
    "--jobs",
    values.jobs,
    "--test",
    values.test,
    "--report",
    report,
    ...(values.full ? ["--full"] : []),
    ...(values.times ? ["--times"] : []),
    ...chosen,
  ];
  const child = start(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  // The process needs time to end its browsers.
  closing.push(() => stop(child, 30_000));
  let left = "";
  child.stdout.setEncoding("utf8").on("data", (part) => {
    const lines = (left + part).split("\n");
    left = lines.pop();
    for (const line of lines) if (!/^(browsers: |slowest:$| {2,}[\d.]+ s {2})/.test(line)) console.log(line);
  });
  const status = await new Promise((done) => child.once("error", done).once("close", done));
  try {
    results.add(JSON.parse(readFileSync(report, "utf8")));
  } catch {
    const message = `its process ended with status ${status} and no report`;
    console.log(`FAILED ${name}: ${message}`);
    results.fail(name, name, message);
  }
  rmSync(folder, { recursive: true, force: true });
}

await Promise.all(values.engine.map(values.engine.length > 1 ? apart : alone));
// A signal ends this process once everything is closed.
if (stopping) await new Promise(() => {});
if (values.report) results.write(values.report, "browsers");
const { passed, failed, skipped } = results;
console.log(`slowest:\n${results.table().join("\n")}`);
console.log(`browsers: ${passed} passed, ${failed} failed, ${skipped} skipped`);
// Exit explicitly, as an open handle may keep the process alive.
process.exit(failed > 0 || passed === 0 ? 1 : 0);
