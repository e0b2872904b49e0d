// Resources that `run.mjs` starts once and lends to test files, one file at a time: a browser and a real server.

import { after, afterEach } from "node:test";
import { chromium } from "playwright-core";
import { Muriel } from "../../tests/muriel.mjs";
import { Visit } from "./rig.mjs";

const lent = process.env.MURIEL_DASHBOARD_WORKER;
if (lent === undefined) throw new Error("run this file with web/dashboard/tests/run FILE");
const worker = JSON.parse(lent);

// A process that a signal ends by itself would leave servers and browsers that its file has started.
process.once("SIGTERM", () => process.exit(143));

/** A number that no other file of this run has. */
export const number = worker.number;
/** The real server. Several companies use it, so a test file founds its own. */
export const muriel = Muriel.at(worker.server);
/** Chromium. It runs in another process, which a download is read from with `bytesOf`. */
export const browser = await chromium.connect(worker.browser);
/** Engines in which a test runs that does not run in Chromium only. */
export const engines = worker.engines;

// A time-out does not tell what stood on the page in place of what was waited for.
afterEach(async (t) => {
  if (t.passed) return;
  for (const visit of Visit.open) {
    const words = await visit.inWords().catch((error) => error.message);
    console.log(`at the end of ${t.name}: ${JSON.stringify(words)}`);
    await visit.picture(`failed-${number}-${[...Visit.open].indexOf(visit)}`).catch(() => {});
  }
});

after(() => browser.close());
