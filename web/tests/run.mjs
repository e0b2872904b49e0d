// run.mjs [--engine NAME]… [--suite NAME]… [--test TEXT]: runs the suites in real browsers.
//
// The last line is `browsers: N passed, N failed, N skipped`. README.md says how suites are written.

import { readdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { bundle } from "./bundle.mjs";
import { Demo, Muriel } from "./muriel.mjs";
import { FixtureServer } from "./server.mjs";

const ENGINES = ["chromium", "firefox", "webkit"];

/** How long a test may take before the engine is given up, in milliseconds. */
const TEST_MS = 60_000;

const { values } = parseArgs({
  options: {
    engine: { type: "string", multiple: true, default: ENGINES },
    suite: { type: "string", multiple: true },
    test: { type: "string", default: "" },
  },
});
const count = { passed: 0, failed: 0, skipped: 0 };
let serial = 0;

/** What may have to be ended at any moment. */
const open = { engine: null, muriel: null, demo: null };

/** Whether a signal has come: then what goes wrong is no failure, and nothing new is begun. */
let stopping = false;
const stopped = () => stopping && new Promise(() => {});

/** The suites of the folder but for measurements, or those that were asked for. */
async function suites() {
  const files = readdirSync(new URL("suites/", import.meta.url)).filter((file) => file.endsWith(".mjs"));
  const all = await Promise.all(files.sort().map((file) => import(`./suites/${file}`)));
  const unknown = (values.suite ?? []).filter((name) => !all.some((suite) => suite.name === name));
  if (unknown.length > 0) throw new Error(`no suite is called ${unknown}; there are ${all.map(({ name }) => name)}`);
  return all.filter(({ name, isAsked }) => values.suite?.includes(name) ?? !isAsked);
}

/** The one server of a run, once a test asks for it. */
function muriel() {
  return (open.muriel ??= Muriel.start());
}

/** The one demo of a run, likewise. */
function demo() {
  return (open.demo ??= Demo.start());
}

const bundles = new Map();

/** As `bundle`, made once a run. */
function bundled(path, global, options) {
  const key = JSON.stringify([path, global, options]);
  if (!bundles.has(key)) bundles.set(key, bundle(path, global, options));
  return bundles.get(key);
}

/** Whether a test runs in an engine; else why not. */
function skipped(suite, test, engine) {
  if (!(suite.engines ?? ENGINES).includes(engine.name) || !(test.only ?? ENGINES).includes(engine.name)) return "not for it";
  const lacks = (test.needs ?? []).filter((ability) => !engine.can[ability]);
  return lacks.length > 0 && `it lacks ${lacks}`;
}

/** Runs one test with servers and a page of its own; gives back what went wrong, or undefined. */
async function tried(test, engine) {
  // With hosts of its own it has cookies and storage of its own in every engine, whatever an engine forgets to clear.
  serial += 1;
  const server = await FixtureServer.start(`site${serial}.localhost`);
  const other = await FixtureServer.start(`other${serial}.localhost`);
  const pages = [];
  const newPage = async (options) => {
    const page = await engine.newPage(options);
    pages.push(page);
    return page;
  };
  let timer;
  const late = new Promise((_, failed) => {
    timer = setTimeout(() => failed(new OutOfTime(`out of time after ${test.ms ?? TEST_MS} ms`)), test.ms ?? TEST_MS);
  });
  const work = async () => {
    const page = await newPage();
    await test.run({ engine, server, other, page, newPage, muriel, demo, bundle: bundled });
    for (const each of pages) await each.close();
    const refused = test.refused ? [] : [...server.refused, ...other.refused];
    if (refused.length > 0) throw new Error(`Muriel would not take what was sent: ${refused.join("\n  ")}`);
  };
  try {
    await Promise.race([work(), late]);
    return undefined;
  } catch (error) {
    if (!(error instanceof OutOfTime)) {
      await Promise.race([Promise.all(pages.map((page) => page.close())), late]).catch((why) => (error.engine = why));
    }
    return error;
  } finally {
    clearTimeout(timer);
    await Promise.all([server.stop(), other.stop()]);
  }
}

class OutOfTime extends Error {}

async function inEngine(name, all) {
  const { launch } = await import(`./engines/${name}.mjs`);
  const begun = performance.now();
  open.engine = await launch();
  const launched = performance.now();
  const before = { ...count };
  for (const suite of all) {
    for (const test of suite.tests) {
      if (!test.name.includes(values.test)) continue;
      const title = `${name} ${suite.name}: ${test.name}`;
      if (skipped(suite, test, open.engine)) {
        count.skipped += 1;
        continue;
      }
      let error = await tried(test, open.engine);
      await stopped();
      if (error instanceof OutOfTime) {
        // Drivers hang now and then, WebKit's on the way back above all: whatever it was, it has to pass in a fresh engine.
        console.log(`once more, as it hung: ${title}`);
        await ended("engine");
        open.engine = await launch();
        error = await tried(test, open.engine);
        await stopped();
      }
      if (!error) {
        count.passed += 1;
        continue;
      }
      count.failed += 1;
      console.log(`FAILED ${title}: ${process.env.MURIEL_STACKS ? error.stack : error.message}`);
      if (error instanceof OutOfTime || error.engine) {
        // It may never answer again, and the next tests are not to pay for it.
        await ended("engine");
        open.engine = await launch();
      }
    }
  }
  const version = open.engine.version;
  await ended("engine");
  const seconds = (from, to) => ((to - from) / 1000).toFixed(1);
  const here = ["passed", "failed", "skipped"].map((each) => `${count[each] - before[each]} ${each}`).join(", ");
  const times = `${seconds(begun, launched)} s to launch, ${seconds(begun, performance.now())} s in all`;
  console.log(`${name} (${version}): ${here}; ${times}`);
}

/** Ends the engine or the server, if there is one, and does not wait for ever. */
async function ended(what) {
  const running = open[what];
  open[what] = null;
  if (!running) return;
  const closing = what === "engine" ? running.close() : running.then((server) => server.stop(), () => {});
  const patience = new Promise((done) => setTimeout(done, 20_000).unref());
  await Promise.race([closing, patience]).catch((error) => console.error(`${what}: ${error.message}`));
}

for (const [name, number] of [["SIGINT", 2], ["SIGTERM", 15], ["SIGHUP", 1]]) {
  process.once(name, async () => {
    stopping = true;
    await Promise.all(["engine", "muriel", "demo"].map(ended));
    process.exit(128 + number);
  });
}

const unknown = values.engine.filter((name) => !ENGINES.includes(name));
if (unknown.length > 0) throw new Error(`no engine is called ${unknown}; there are ${ENGINES}`);
const all = await suites();
for (const name of values.engine) {
  try {
    await inEngine(name, all);
  } catch (error) {
    await stopped();
    count.failed += 1;
    console.log(`FAILED ${name}: ${error.stack}`);
    await ended("engine");
  }
}
await Promise.all(["muriel", "demo"].map(ended));
console.log(`browsers: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
// By itself, as something may be left that keeps the process: what was started has ended.
process.exit(count.failed > 0 || count.passed === 0 ? 1 : 0);
