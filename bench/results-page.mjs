#!/usr/bin/env node
// results-page.mjs [EVENTS]: measures a browser's CPU time for the results page of 10,000,000 events, or EVENTS.
//
// Sends the events of an experiment with four arms, ten goals and sixty days to its own server, requests the result
// until it is computed, and opens the page in Chromium, five times each. Measures the CPU time of the page's main
// thread until the page is complete. The limit is 500 ms. MURIEL_BIN names the binary; the default is the debug build.

import { Company } from "../web/dashboard/tests/company.mjs";
import { among, before, collector, crowd, send } from "../web/dashboard/tests/crowd.mjs";
import { launch, Visit } from "../web/dashboard/tests/rig.mjs";
import { Muriel } from "../web/tests/muriel.mjs";

const DAYS = 60;
const GOALS = Array.from({ length: 10 }, (_, at) => `goal-${at}`);
const AT_ONCE = 2_000;
const RUNS = 5;

const wanted = Number(process.argv[2] ?? 10_000_000);

async function experiment(company) {
  for (const name of GOALS)
    await company.post("/goal", { goal_key: name, goal_name: `Goal ${name}`, goal_type: "event", goal_value: name });
  const { test_id } = await company.post("/create-experiment", {
    test_name: "Four pages",
    url: "https://shop.example/",
    variants: [1, 2, 3].map((at) => ({ name: `Variant ${at}`, nickname: `Page ${at}` })),
    primary_goal_key: GOALS[0],
    secondary_goal_keys: GOALS.slice(1),
    builtin_metrics: ["bounce_rate"],
  });
  return test_id;
}

/** Sends visitors with about eight events each, day by day, until there are enough events. */
async function fill(company, id) {
  const key = await collector(company);
  const does = (arm, at) =>
    GOALS.filter((_, goal) => among(at, 65 + goal + arm, 3 + goal)).map((name) => ({ type: "custom", name }));
  const pageOf = (at) => `https://shop.example/page-${(at >> 2) % 60}`;
  let [events, visitors] = [0, 0];
  while (events < wanted) {
    const part = visitors / AT_ONCE;
    const batch = crowd(id, { visitors: AT_ONCE, days: DAYS, arms: 4, does, pageOf });
    for (const one of batch) one.visitor.id += `-${part}`;
    await send(company, key, batch);
    events += batch.reduce((sum, one) => sum + one.events.length, 0);
    visitors += AT_ONCE;
  }
  return { events, visitors };
}

/** Requests a path until it succeeds, and returns the seconds that this took. */
async function answered(company, path) {
  const start = performance.now();
  for (;;) {
    try {
      await company.get(path);
      return (performance.now() - start) / 1e3;
    } catch (error) {
      if (!/: (429|503) /.test(error.message)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

async function opened(browser, company, path) {
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit);
  const client = await visit.context.newCDPSession(visit.page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  const start = performance.now();
  await visit.open(path);
  const all = performance.now() - start;
  const { metrics } = await client.send("Performance.getMetrics");
  await visit.end();
  return [1e3 * metrics.find(({ name }) => name === "TaskDuration").value, all];
}

const muriel = await Muriel.start();
const company = await Company.found(muriel);
const browser = await launch();
try {
  const id = await experiment(company);
  let start = performance.now();
  const { events, visitors } = await fill(company, id);
  const seconds = (performance.now() - start) / 1e3;
  console.log(`${events} events of ${visitors} visitors sent in ${seconds.toFixed(0)} s`);
  await company.patch(`/experiment/${id}/status`, { status: 1, started_at: before(DAYS + 0.5) });
  for (const query of ["", "?breakdown_by=landing_page"]) {
    start = performance.now();
    const result = await answered(company, `/experiment/${id}/result${query}`);
    const series = await answered(company, `/experiment/${id}/timeseries`);
    console.log(`result${query}: ${result.toFixed(1)} s at first, its days ${series.toFixed(1)} s`);
    const runs = [];
    for (let run = 0; run < RUNS; run += 1)
      runs.push(await opened(browser, company, `/p/${company.shop}/experiments/${id}/results${query}`));
    const row = (at) => runs.map((run) => run[at].toFixed(0)).join(", ");
    console.log(`  main thread, ms: ${row(0)}; all of it, ms: ${row(1)}`);
  }
} finally {
  await browser.close();
  await company.end();
  await muriel.stop();
}
