// run.mjs [--report FILE]: builds the unit tests and runs them in Node; `npm test` in web/runtime. `--report` also
// writes the counts to a file as JSON.

import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const { values } = parseArgs({ options: { report: { type: "string" } } });

const reporters = [
  ["tap", "stdout"],
  // npm changes to this package's folder; `INIT_CWD` is the folder in which it was called.
  ...(values.report ? [[at("../../../report.mjs"), resolve(process.env.INIT_CWD ?? "", values.report)]] : []),
];
process.chdir(at("../../"));
await import("./build.mjs");
const options = reporters.flatMap(([reporter, to]) => [
  `--test-reporter=${reporter}`,
  `--test-reporter-destination=${to}`,
]);
const { status } = spawnSync(process.execPath, ["--test", ...options, "build/assign/"], {
  stdio: "inherit",
  env: { ...process.env, REPORT_NAME: "runtime" },
});
process.exitCode = status ?? 1;
