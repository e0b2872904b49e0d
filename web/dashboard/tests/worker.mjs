// Resources that `run.mjs` starts once and shares between test files, one file at a time: a browser and a real server.

import { after, afterEach } from "node:test";
import { chromium } from "playwright-core";
import { Muriel } from "../../tests/muriel.mjs";
import { Visit } from "./rig.mjs";

const lent = process.env.MURIEL_DASHBOARD_WORKER;
if (lent === undefined) throw new Error("run this file with web/dashboard/tests/run FILE");
const worker = JSON.parse(lent);

// Without a handler, the signal would leave servers and browsers running that the test file has started.
process.once("SIGTERM", () => process.exit(143));

/** Number of the file, unique in this run. */
export const number = worker.number;
/** The real server. Several companies use it, so each test file creates its own. */
export const muriel = Muriel.at(worker.server);
/** Chromium. It runs in another process, so read downloads with `bytesOf`. */
export const browser = await chromium.connectOverCDP(worker.browser);
/** Engines for a test that runs in more than Chromium. */
export const engines = worker.engines;
/** True if areas are examined with plain texts first: `--full`, and pictures for people. */
export const hasPlainTexts = worker.full || worker.pictures;

// A timeout does not show what was on the page instead.
afterEach(async (t) => {
  if (t.passed) return;
  for (const visit of Visit.open) {
    const words = await visit.inWords().catch((error) => error.message);
    console.log(`at the end of ${t.name}: ${JSON.stringify(words)}`);
    await visit.picture(`failed-${number}-${[...Visit.open].indexOf(visit)}`).catch(() => {});
  }
});

after(() => browser.close());
