// The results of a run by engine and suite: a table of the slowest ones, and JSON for scripts that count.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Number of rows in the table. */
const SLOWEST = 10;

const round = (seconds) => Math.round(seconds * 10) / 10;

const sum = (files, what) => files.reduce((total, file) => total + file[what], 0);

export class Results {
  /** `{ file, seconds, passed, failed, skipped }` for each suite in each engine; seconds are the sum of its tests. */
  files = [];
  /** `{ test, message }` */
  failures = [];

  /** Counts `outcome`, which is `passed`, `failed` or `skipped`, for a file. */
  count(file, outcome, seconds = 0) {
    let entry = this.files.find((each) => each.file === file);
    if (!entry) this.files.push((entry = { file, seconds: 0, passed: 0, failed: 0, skipped: 0 }));
    entry[outcome] += 1;
    entry.seconds += seconds;
  }

  fail(file, test, message, seconds) {
    this.count(file, "failed", seconds);
    this.failures.push({ test, message });
  }

  /** Adds the results of another process. */
  add({ files, failures }) {
    this.files.push(...files);
    this.failures.push(...failures);
  }

  get passed() {
    return sum(this.files, "passed");
  }

  get failed() {
    return sum(this.files, "failed");
  }

  get skipped() {
    return sum(this.files, "skipped");
  }

  /** The slowest suites, a line each. */
  table() {
    const slowest = this.files.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
    return slowest.map(
      ({ file, seconds, passed, failed }) => `  ${seconds.toFixed(1).padStart(6)} s  ${file}, ${passed + failed} tests`,
    );
  }

  write(path, name) {
    const { passed, failed, skipped, failures } = this;
    const files = this.files.map((file) => ({ ...file, seconds: round(file.seconds) }));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify({ name, passed, failed, skipped, files, failures }, null, 1)}\n`);
  }
}
