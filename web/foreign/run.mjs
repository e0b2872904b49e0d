// run.mjs [--engine NAME]… [--page TEXT]… [--jobs N] [--report FILE]: tests foreign pages with experiments of a real
// server, in real browsers.
//
// Prints a table of pages and checks, and the failures. The exit status is 1 if a check failed. README.md describes the
// checks.

import { readdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { inEngine } from "../tests/engine.mjs";
import { Results } from "../tests/report.mjs";
import { CHECKS, visit } from "./visit.mjs";

const { values } = parseArgs({
  options: {
    engine: { type: "string", multiple: true, default: ["chromium"] },
    page: { type: "string", multiple: true, default: [""] },
    jobs: { type: "string", default: "1" },
    report: { type: "string" },
  },
});

const files = readdirSync(new URL("pages/", import.meta.url))
  .filter((file) => file.endsWith(".mjs"))
  .sort();
const modules = await Promise.all(files.map((file) => import(`./pages/${file}`)));
const sites = modules
  .flatMap(({ pages }) => pages)
  .filter(({ name }) => values.page.some((text) => name.includes(text)));
if (sites.length === 0) throw new Error(`no page is called ${values.page}`);

let stopping = false;
const closing = [];
for (const [name, number] of [
  ["SIGINT", 2],
  ["SIGTERM", 15],
  ["SIGHUP", 1],
]) {
  process.once(name, async () => {
    stopping = true;
    await Promise.all(closing.map((close) => close()));
    process.exit(128 + number);
  });
}

const rows = [];
const width = Math.max(...sites.map(({ name }) => name.length));
const line = ([name, engine, ...cells]) =>
  [name.padEnd(width), engine.padEnd(8), ...cells.map((cell) => cell.padEnd(15))].join("  ").trimEnd();
const results = new Results();

for (const engine of values.engine) {
  const tests = sites.map((site) => ({
    suite: { name: "foreign" },
    test: {
      name: site.name,
      only: site.only,
      async run(fixture) {
        const { cells, failures } = await visit(fixture, site);
        rows.push([
          site.name,
          engine,
          ...CHECKS.map(
            (check) => `${cells[check]}${failures.some((text) => text.startsWith(check)) ? " FAILED" : ""}`,
          ),
        ]);
        if (failures.length > 0) throw new Error(failures.join("\n  "));
      },
    },
  }));
  await inEngine(engine, {
    jobs: Number(values.jobs),
    results,
    tests: () => tests,
    isElsewhere: () => false,
    proves: false,
    isStopping: () => stopping,
    closing,
  });
}

console.log(`\n${line(["page", "engine", ...CHECKS])}`);
for (const row of rows.sort()) console.log(line(row));
if (values.report) results.write(values.report, "foreign");
const { passed, failed, skipped } = results;
console.log(`foreign: ${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
