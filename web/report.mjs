// A reporter for Node's test runner. It writes the numbers of passed, failed and skipped tests as JSON, for scripts:
//
//   node --test --test-reporter=web/report.mjs --test-reporter-destination=FILE …
//
// `REPORT_NAME` is the name of the run.

import { relative } from "node:path";

/** Counts by file; suites and files, which only hold tests, are not counted. */
export default async function* report(source) {
  const files = new Map();
  const failures = [];
  const entry = (path) => {
    const file = path ? relative(process.cwd(), path) : "node";
    if (!files.has(file)) files.set(file, { file, seconds: 0, passed: 0, failed: 0, skipped: 0 });
    return files.get(file);
  };
  for await (const { type, data } of source) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    const counts = entry(data.file);
    // A file that cannot be loaded is reported as a failed test with the file's name, which is not nested.
    const isHolder = data.details.type === "suite";
    if (data.nesting === 0) counts.seconds += data.details.duration_ms / 1000;
    if (data.skip !== undefined || data.todo !== undefined) counts.skipped += 1;
    else if (type === "test:fail") {
      const { error } = data.details;
      // This suite failed because of its tests, which are counted themselves.
      if (isHolder && error?.failureType === "subtestsFailed") continue;
      counts.failed += 1;
      failures.push({ test: data.name, message: String(error?.cause?.message ?? error?.cause ?? error?.message) });
    } else if (!isHolder) counts.passed += 1;
  }
  const all = [...files.values()].map((file) => ({ ...file, seconds: Math.round(file.seconds * 10) / 10 }));
  const sum = (what) => all.reduce((total, file) => total + file[what], 0);
  const counts = { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
  yield `${JSON.stringify({ name: process.env.REPORT_NAME ?? "node", ...counts, files: all, failures }, null, 1)}\n`;
}
