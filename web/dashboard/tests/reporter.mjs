// Reporter for Node's test runner that writes the results of one process as JSON:
// `{ passed, failed, skipped, failures, last }`. `last` is when the last test ended, in milliseconds since 1970.
//
// Only leaves count. A test with subtests counts only if it fails itself, for example in its setup.

/** Reason with which Node 20 reports a test that `--test-name-pattern` does not select. */
const NOT_SELECTED = "test name does not match pattern";

export default async function* results(events) {
  const all = { passed: 0, failed: 0, skipped: 0, failures: [] };
  /** Names of the running tests, by nesting. */
  const names = [];
  /** Number of tests that have ended at each nesting level since their parent began. */
  const ended = [];
  for await (const { type, data } of events) {
    if (type === "test:start") names.splice(data.nesting, Number.POSITIVE_INFINITY, data.name);
    if (type !== "test:pass" && type !== "test:fail") continue;
    all.last = Date.now();
    const { nesting, name, skip, todo, details } = data;
    const isParent = (ended[nesting + 1] ?? 0) > 0;
    ended[nesting + 1] = 0;
    ended[nesting] = (ended[nesting] ?? 0) + 1;
    if (skip === NOT_SELECTED) continue;
    const error = details.error;
    if (type === "test:fail" && todo === undefined) {
      if (isParent && error?.failureType === "subtestsFailed") continue;
      all.failed += 1;
      // Node wraps thrown errors.
      const cause = error?.cause;
      const test = [...names.slice(0, nesting), name].join(" > ");
      all.failures.push({ test, message: String(cause?.message ?? cause ?? error?.message ?? "") });
    } else if (!isParent) {
      if (skip === undefined && todo === undefined) all.passed += 1;
      else all.skipped += 1;
    }
  }
  yield JSON.stringify(all);
}
