// run.mjs [--test TEXT] [--workers N] [--engine NAME]… [--full] [--pictures] [--report FILE] [FILE…]: builds the dashboard, and
// runs the tests.
//
// Test files run as processes, one per worker at a time. A worker has a Chromium and a real server, which its files
// share (`worker.mjs`). The last line is `dashboard: N passed, N failed, N skipped`.

import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { rolldown } from "rolldown";
import { built } from "../build.mjs";
import { freePort, start, stop } from "../../tests/children.mjs";
import { Muriel } from "../../tests/muriel.mjs";
import { CHROMIUM } from "./rig.mjs";

const ENGINES = ["chromium", "firefox"];
/** The longest files start first, so that no worker ends with one of them while the others are idle. */
const LONGEST = [
  "areas/results.mjs",
  "hostile.test.mjs",
  "stories/main.test.mjs",
  "areas/traffic.mjs",
  "stories/results.test.mjs",
  "areas/launch.mjs",
  "pages.test.mjs",
  "areas/charts.mjs",
  "stories/origins.test.mjs",
  "areas/shares.mjs",
  "areas/site.mjs",
];

/** A process that ends later after its last test has not closed something, or has not read an answer: it is reported. */
const LEFT_MS = 3_000;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { values, positionals } = parseArgs({
  options: {
    test: { type: "string" },
    workers: { type: "string", default: "2" },
    engine: { type: "string", multiple: true, default: ENGINES },
    full: { type: "boolean", default: false },
    pictures: { type: "boolean", default: false },
    report: { type: "string" },
  },
  allowPositionals: true,
});
const unknown = values.engine.filter((name) => !ENGINES.includes(name));
if (unknown.length > 0) throw new Error(`no engine is called ${unknown}; there are ${ENGINES}`);
if (!/^[1-9]\d*$/.test(values.workers))
  throw new Error(`--workers must be a whole number from 1 on, not ${values.workers}`);

/** Bundles the unit tests, which are next to their modules, into one file of JavaScript. */
async function units() {
  const into = here("../build/unit/");
  rmSync(into, { recursive: true, force: true });
  const src = here("../src/");
  const tests = readdirSync(src, { recursive: true }).filter((path) => /\.test\.tsx?$/.test(path));
  const build = await rolldown({
    input: "units",
    platform: "node",
    external: [/^node:/],
    resolve: { alias: { "~": here("../src") } },
    onwarn: (warning, warn) => {
      // The "use client" directive of libraries has no meaning here.
      if (warning.code !== "MODULE_LEVEL_DIRECTIVE") warn(warning);
    },
    plugins: [
      {
        name: "units",
        resolveId: (id) => (id === "units" ? id : null),
        load: (id) => (id === "units" ? tests.map((path) => `import ${JSON.stringify(src + path)};`).join("\n") : null),
      },
    ],
  });
  // One file, including dynamic imports.
  await build.write({ file: `${into}units.mjs`, format: "esm", codeSplitting: false });
  await build.close();
  return `${into}units.mjs`;
}

async function everything() {
  const found = (folder) => readdirSync(here(folder)).filter((name) => name.endsWith(".mjs"));
  const tests = (folder) => found(folder).filter((name) => name.endsWith(".test.mjs"));
  const files = [
    ...found("areas").map((name) => `areas/${name}`),
    ...tests("stories").map((name) => `stories/${name}`),
    ...tests("."),
  ];
  const place = (file) => (LONGEST.includes(file) ? LONGEST.indexOf(file) : LONGEST.length);
  const sorted = files.sort((one, other) => place(one) - place(other));
  return [...sorted.map((file) => here(file)), await units()];
}

/** Resolves a file that was named relative to the repository or the dashboard, or by its absolute path. */
const located = (path) => [path, here(`../${path}`)].map((one) => resolve(one)).find(existsSync) ?? path;

/** First arguments of a test file's process. An area is data for `area.mjs`. */
const argumentsOf = (file) => (file.startsWith(here("areas/")) ? [here("area.mjs"), file] : [file]);
const nameOf = (file) => relative(here("."), file);

/** Runs one file, and returns its results. */
async function run(file, lent) {
  const results = join(scratch, `${lent.number}.json`);
  const child = start(
    process.execPath,
    [
      "--test-reporter=spec",
      "--test-reporter-destination=stdout",
      `--test-reporter=${new URL("reporter.mjs", import.meta.url)}`,
      `--test-reporter-destination=${results}`,
      ...(values.test ? [`--test-name-pattern=${values.test}`] : []),
      ...argumentsOf(file),
    ],
    {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: here(".."),
      env: { ...process.env, MURIEL_DASHBOARD_WORKER: JSON.stringify(lent) },
    },
  );
  const since = performance.now();
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part) => (printed += part));
  running.add(child);
  const [status, signal] = await once(child, "close");
  running.delete(child);
  const seconds = Math.round((performance.now() - since) / 100) / 10;
  const { last = Date.now(), ...counts } = countsIn(results);
  const left = Date.now() - last;
  if (left > LEFT_MS) console.log(`${nameOf(file)}: ended ${Math.round(left / 1000)} s after its last test`);
  // A process can also end without running its tests: if it cannot be loaded, or is killed.
  if (status !== 0 && counts.failed === 0) {
    counts.failed = 1;
    counts.failures.push({
      test: nameOf(file),
      message: `it ended with ${signal ?? `status ${status}`}: ${printed.slice(-1_000)}`,
    });
  }
  // The reporter's list of failures is last, if there is one. The descriptions of pages are before it.
  if (counts.failed > 0) {
    const said = printed.match(/^at the end of .*$/gm) ?? [];
    console.log([printed.split("✖ failing tests:").at(-1).trim(), ...said].join("\n"));
  }
  console.log(
    `${nameOf(file)}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped, ${seconds} s`,
  );
  return { file: nameOf(file), seconds, ...counts };
}

function countsIn(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return { passed: 0, failed: 0, skipped: 0, failures: [] };
  }
}

/** Runs files from the queue until it is empty, with one browser and one server for all of them. */
async function work(queue, done) {
  const port = await freePort();
  const browser = await chromium.launch({
    ...CHROMIUM,
    args: [...CHROMIUM.args, `--remote-debugging-port=${port}`],
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  closing.push(() => browser.close());
  // Webhooks of tests point to this machine.
  const server = await Muriel.start(["--webhook-allow", "127.0.0.1"]);
  closing.push(() => server.stop());
  const lent = {
    browser: `http://127.0.0.1:${port}`,
    server: { url: server.url, data: server.data },
    engines: values.engine,
    full: values.full,
    pictures: values.pictures,
  };
  while (queue.length > 0 && !isStopping) {
    numbers += 1;
    done.push(await run(queue.shift(), { ...lent, number: numbers }));
  }
}

/** Processes of test files. They are stopped first, together with browsers and servers that they have started. */
const running = new Set();
const closing = [];
let numbers = 0;
let isStopping = false;
const close = () => Promise.all(closing.splice(0).map((one) => one()));
for (const [name, number] of [
  ["SIGINT", 2],
  ["SIGTERM", 15],
  ["SIGHUP", 1],
]) {
  process.once(name, async () => {
    isStopping = true;
    await Promise.all([...running].map((child) => stop(child)));
    await close();
    process.exit(128 + number);
  });
}

const scratch = mkdtempSync(join(tmpdir(), "muriel-dashboard-"));
closing.push(() => rmSync(scratch, { recursive: true, force: true }));
const files = [];
try {
  await built();
  const queue = positionals.length > 0 ? positionals.map(located) : await everything();
  const workers = Math.min(Number(values.workers), queue.length);
  await Promise.all(Array.from({ length: workers }, () => work(queue, files)));
} finally {
  await close();
}

const sum = (what) => files.reduce((total, file) => total + file[what], 0);
const counts = { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
if (values.report) {
  const failures = files.flatMap(({ file, failures }) =>
    failures.map(({ test, message }) => ({ test: `${file}: ${test}`, message })),
  );
  const told = files.map(({ failures: _, ...file }) => file);
  const report = { name: "dashboard", ...counts, files: told, failures };
  writeFileSync(values.report, `${JSON.stringify(report, null, 2)}\n`);
}
for (const { file, seconds } of files.toSorted((one, other) => other.seconds - one.seconds).slice(0, 10))
  console.log(`${String(seconds).padStart(6)} s ${file}`);
console.log(`dashboard: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;
