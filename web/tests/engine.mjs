// @ts-nocheck: constructors take the fields of their classes from an object.
// Runs tests in one engine, several side by side: each worker has a browser of its own, so that one that hangs takes no
// other test with it.

import { bundle } from "./bundle.mjs";
import { Demo, Muriel } from "./muriel.mjs";
import { prove } from "./rig.mjs";
import { FixtureServer } from "./server.mjs";

/** How long a test may take before its browser is given up, in milliseconds: longer than on the slowest machine. */
const TEST_MS = 240_000;
/** How long a browser or a server may take to end. */
const END_MS = 20_000;

class OutOfTime extends Error {}

/** Whether the browser or its driver gave up, and not what is tested: its other tests would fail alike. */
const isBroken = (error) =>
  error instanceof OutOfTime ||
  !!error?.engine ||
  /invalid session id|aborted due to timeout|fetch failed|socket|Target closed|Connection closed/.test(error?.message);

/** The servers of a run, each started once a test asks for it. */
class Servers {
  muriel = () => (this.server ??= Muriel.start());
  demo = () => (this.shop ??= Demo.start());

  close() {
    return Promise.all(
      [this.server, this.shop].map(
        (server) =>
          server &&
          ended(
            "a server",
            server.then(
              (one) => one.stop(),
              () => {},
            ),
          ),
      ),
    );
  }
}

/** Waits for an end, but not for ever. */
async function ended(what, closing) {
  const patience = new Promise((done) => setTimeout(done, END_MS).unref());
  await Promise.race([closing, patience]).catch((error) => console.error(`${what}: ${error.message}`));
}

const bundles = new Map();

/** As `bundle`, made once a run. */
function bundled(path, global, options) {
  const key = JSON.stringify([path, global, options]);
  if (!bundles.has(key)) bundles.set(key, bundle(path, global, options));
  return bundles.get(key);
}

let serial = 0;

/** Runs one test with servers and a page of its own; gives back what went wrong, or undefined. */
async function tried(test, engine, servers) {
  // With hosts of its own it has cookies and storage of its own in every engine, whatever an engine forgets to clear.
  serial += 1;
  const at = serial;
  const server = await FixtureServer.start(`site${at}.localhost`);
  const other = await FixtureServer.start(`other${at}.localhost`);
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
    await test.run({
      engine,
      server,
      other,
      page,
      newPage,
      muriel: servers.muriel,
      demo: servers.demo,
      bundle: bundled,
    });
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

/** One browser, and another one when that is given up. */
class Worker {
  constructor(name, isStopping) {
    Object.assign(this, { name, isStopping });
  }

  /** The browser, started when it is not there. */
  async browser() {
    // A signal came: nothing new is begun, and the process ends.
    if (this.isStopping()) await new Promise(() => {});
    if (!this.engine) {
      const { launch } = await import(`./engines/${this.name}.mjs`);
      this.engine = await launch();
    }
    return this.engine;
  }

  async close() {
    const engine = this.engine;
    this.engine = undefined;
    if (engine) await ended(this.name, engine.close());
  }

  /** Runs a test, once more in a new browser when the first one hung; gives back what went wrong, or undefined. */
  async run(test, title, servers) {
    let error = await tried(test, await this.browser(), servers);
    if (isBroken(error) && !this.isStopping()) {
      // Drivers hang now and then, WebKit's on the way back above all: whatever it was, it has to pass in a fresh engine.
      console.log(`once more in a new browser: ${title}: ${error.message}`);
      await this.close();
      error = await tried(test, await this.browser(), servers);
    }
    // It may never answer again, and the next tests are not to pay for it.
    if (isBroken(error)) await this.close();
    return error;
  }
}

/** Why a test does not run in an engine; undefined when it does. */
function reason({ suite, test }, engine) {
  const isFor = ({ engines, only }) => (engines ?? only ?? [engine.name]).includes(engine.name);
  if (!isFor(suite) || !isFor(test)) return "not for it";
  const lacks = (test.needs ?? []).filter((ability) => !engine.can[ability]);
  return lacks.length > 0 ? `it lacks ${lacks}` : undefined;
}

/** Runs tests in an engine, `jobs` at a time; gives back how many passed, failed and were skipped. */
export async function inEngine(name, { jobs, tests, proves, isStopping, closing }) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  const servers = new Servers();
  const workers = Array.from({ length: jobs }, () => new Worker(name, isStopping));
  const close = () => Promise.all([...workers.map((worker) => worker.close()), servers.close()]);
  closing.push(close);
  const begun = performance.now();
  const failed = new Set();
  const seconds = (from, to) => ((to - from) / 1000).toFixed(1);

  const one = async (worker, { suite, test }) => {
    const title = `${name} ${suite.name}: ${test.name}`;
    let error;
    try {
      error = await worker.run(test, title, servers);
    } catch (why) {
      error = why;
    }
    if (isStopping()) await new Promise(() => {});
    if (!error) {
      count.passed += 1;
      return;
    }
    failed.add(suite.name);
    count.failed += 1;
    console.log(`FAILED ${title}: ${process.env.MURIEL_STACKS ? error.stack : error.message}`);
  };

  try {
    const engine = await workers[0].browser();
    const { version } = engine;
    const launched = performance.now();
    const all = tests(version);
    const chosen = all.filter((entry) => !reason(entry, engine));
    count.skipped = all.length - chosen.length;
    // Side by side, the longest first; what measures time or hides windows has the engine to itself in the end.
    const waiting = chosen.filter(({ test }) => !test.alone).sort((a, b) => (b.test.ms ?? 0) - (a.test.ms ?? 0));
    await Promise.all(
      workers.map(async (worker) => {
        for (let next = waiting.shift(); next; next = waiting.shift()) await one(worker, next);
      }),
    );
    await Promise.all(workers.slice(1).map((worker) => worker.close()));
    for (const entry of chosen.filter(({ test }) => test.alone)) await one(workers[0], entry);
    for (const suite of new Set(all.map(({ suite }) => suite))) {
      const ran = all.filter((entry) => entry.suite === suite).length;
      if (suite.quick && proves && !failed.has(suite.name) && ran === suite.tests.length) prove(suite.name, version);
    }
    const here = `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`;
    const times = `${seconds(begun, launched)} s to launch, ${seconds(begun, performance.now())} s in all, ${jobs} at a time`;
    console.log(`${name} (${version}): ${here}; ${times}`);
  } catch (error) {
    if (isStopping()) await new Promise(() => {});
    count.failed += 1;
    console.log(`FAILED ${name}: ${error.stack}`);
  }
  await close();
  return count;
}
