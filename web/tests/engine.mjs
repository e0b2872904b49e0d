// @ts-nocheck: constructors take the fields of their classes from an object.
// Runs tests in one engine, several in parallel. Each worker has its own browser, so that a browser that hangs does not affect
// other tests.

import { bundle } from "./bundle.mjs";
import { Demo, Muriel } from "./muriel.mjs";
import { Results } from "./report.mjs";
import { prove } from "./rig.mjs";
import { FixtureServer } from "./server.mjs";

/** The timeout of a test, in milliseconds, after which its browser is restarted: longer than a test takes on the slowest machine. */
const TEST_TIMEOUT_MS = 240_000;
/** The timeout of ending a browser or a server, in milliseconds. */
const SHUTDOWN_TIMEOUT_MS = 20_000;

class TestTimeout extends Error {}

/** Returns whether the browser or its driver failed, not the code under test: its other tests would fail as well. */
const isBroken = (error) =>
  error instanceof TestTimeout ||
  !!error?.engine ||
  /invalid session id|aborted due to timeout|fetch failed|socket|Target closed|Connection closed/.test(error?.message);

/** The servers of a run, each started when a test first needs it. */
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

/** Waits until something has closed, with a timeout. */
async function ended(what, closing) {
  const timeout = new Promise((done) => setTimeout(done, SHUTDOWN_TIMEOUT_MS).unref());
  await Promise.race([closing, timeout]).catch((error) => console.error(`${what}: ${error.message}`));
}

const bundles = new Map();

/** `bundle` with a cache. */
function bundled(path, global, options) {
  const key = JSON.stringify([path, global, options]);
  if (!bundles.has(key)) bundles.set(key, bundle(path, global, options));
  return bundles.get(key);
}

let serial = 0;

/** Runs one test with its own servers and page; returns its error, or undefined. */
async function tried(test, engine, servers, isFull) {
  // With its own hosts, a test has its own cookies and storage, even if an engine does not clear them.
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
    timer = setTimeout(
      () => failed(new TestTimeout(`out of time after ${test.ms ?? TEST_TIMEOUT_MS} ms`)),
      test.ms ?? TEST_TIMEOUT_MS,
    );
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
      isFull,
    });
    for (const each of pages) await each.close();
    const refused = test.refused ? [] : [...server.refused, ...other.refused];
    if (refused.length > 0) throw new Error(`Muriel would not take what was sent: ${refused.join("\n  ")}`);
  };
  try {
    await Promise.race([work(), late]);
    return undefined;
  } catch (error) {
    if (!(error instanceof TestTimeout)) {
      await Promise.race([Promise.all(pages.map((page) => page.close())), late]).catch((why) => (error.engine = why));
    }
    return error;
  } finally {
    clearTimeout(timer);
    await Promise.all([server.stop(), other.stop()]);
  }
}

/** Adds the abilities that depend on the version of the engine, as a page has them. */
async function detect(engine) {
  const page = await engine.newPage();
  engine.can.navigation = await page.evaluate(() => "navigation" in window);
  await page.close();
}

/** Runs tests in one browser, and in a new one after that has failed. */
class Worker {
  constructor(name, isStopping, isFull) {
    Object.assign(this, { name, isStopping, isFull });
  }

  /** The browser, started on first use. */
  async browser() {
    // After a signal nothing new is started, and the process ends.
    if (this.isStopping()) await new Promise(() => {});
    if (!this.engine) {
      const { launch } = await import(`./engines/${this.name}.mjs`);
      this.engine = await launch();
      await detect(this.engine);
    }
    return this.engine;
  }

  async close() {
    const engine = this.engine;
    this.engine = undefined;
    if (engine) await ended(this.name, engine.close());
  }

  /** Runs a test, and again in a new browser if the first one hung; returns its error, or undefined. */
  async run(test, title, servers) {
    let error = await tried(test, await this.browser(), servers, this.isFull);
    if (isBroken(error) && !this.isStopping()) {
      // Drivers hang sometimes, mostly WebKit's on back navigation. The test has to pass in a new browser.
      console.log(`once more in a new browser: ${title}: ${error.message}`);
      await this.close();
      error = await tried(test, await this.browser(), servers, this.isFull);
    }
    // The browser may never answer again, so the next test gets a new one.
    if (isBroken(error)) await this.close();
    return error;
  }
}

/** The reason why a test is skipped in an engine; undefined if it runs. */
function reason({ suite, test }, engine) {
  const isFor = ({ engines, only }) => (engines ?? only ?? [engine.name]).includes(engine.name);
  if (!isFor(suite) || !isFor(test)) return "not for it";
  const lacks = (test.needs ?? []).filter((ability) => !engine.can[ability]);
  return lacks.length > 0 ? `it lacks ${lacks}` : undefined;
}

/**
 * Runs tests in an engine, `jobs` at a time, and returns their `results`. Tests for which `isElsewhere` returns true
 * are skipped. `isFull` is passed to tests. With `showsTimes`, each test is printed with its seconds.
 */
export async function inEngine(name, options) {
  const {
    jobs,
    tests,
    isElsewhere,
    proves,
    isStopping,
    closing,
    results = new Results(),
    isFull,
    showsTimes,
  } = options;
  const servers = new Servers();
  const workers = Array.from({ length: jobs }, () => new Worker(name, isStopping, isFull));
  const close = () => Promise.all([...workers.map((worker) => worker.close()), servers.close()]);
  closing.push(close);
  const begun = performance.now();
  const failed = new Set();
  const seconds = (from, to) => ((to - from) / 1000).toFixed(1);

  const one = async (worker, { suite, test }) => {
    const file = `${name} ${suite.name}`;
    const title = `${file}: ${test.name}`;
    const started = performance.now();
    let error;
    try {
      error = await worker.run(test, title, servers);
    } catch (why) {
      error = why;
    }
    if (isStopping()) await new Promise(() => {});
    const took = (performance.now() - started) / 1000;
    if (showsTimes) console.log(`${took.toFixed(2).padStart(7)} s ${title}`);
    if (!error) {
      results.count(file, "passed", took);
      return;
    }
    failed.add(suite.name);
    results.fail(file, title, error.message, took);
    console.log(`FAILED ${title}: ${process.env.MURIEL_STACKS ? error.stack : error.message}`);
  };

  try {
    const engine = await workers[0].browser();
    const { version } = engine;
    const launched = performance.now();
    const all = tests(version);
    const chosen = all.filter((entry) => !reason(entry, engine) && !isElsewhere(entry));
    for (const entry of all) {
      if (!chosen.includes(entry)) results.count(`${name} ${entry.suite.name}`, "skipped");
    }
    // In parallel, the longest first. Tests that measure run alone at the end.
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
    const here = `${results.passed} passed, ${results.failed} failed, ${results.skipped} skipped`;
    const times = `${seconds(begun, launched)} s to launch, ${seconds(begun, performance.now())} s in all, ${jobs} at a time`;
    console.log(`${name} (${version}): ${here}; ${times}`);
  } catch (error) {
    if (isStopping()) await new Promise(() => {});
    results.fail(name, name, error.message);
    console.log(`FAILED ${name}: ${error.stack}`);
  }
  await close();
  return results;
}
