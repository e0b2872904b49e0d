// size: prints the compressed sizes of the dashboard's chunks. Fails if a chunk, or what a visit loads first, exceeds
// its bound.

import { built, compressed } from "./build.mjs";

const KB = 1_000;
/** Everything that a page of the application loads before it shows anything, with all imports. */
const ENTRY = 150 * KB;
/** The first load of the list of experiments, with a session. */
const LIST = 200 * KB;
/** The page of a shared result, with all imports. */
const SHARED = 140 * KB;
/** Any other page, without the entry and the frame. */
const PAGE = 30 * KB;
/** Libraries that are loaded when they are needed. */
const LIBRARIES = {
  // The editor of CSS and JavaScript.
  "code-mirror.js": 145 * KB,
  // uPlot, with our code that draws with it.
  "time-chart.js": 23 * KB,
};

const files = await built();
const sizes = new Map([...files].map(([name, text]) => [name, compressed(text).length]));
const imports = (name) =>
  [...files.get(name).matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)].map(([, file]) => file);

/** Chunks with everything that they import statically, directly or indirectly. */
function closure(...names) {
  const all = new Set();
  const visit = (name) => {
    if (all.has(name)) return;
    all.add(name);
    imports(name).forEach(visit);
  };
  names.forEach(visit);
  return all;
}
const sum = (names) => [...names].reduce((total, name) => total + sizes.get(name), 0);

let isOver = false;
function report(what, size, bound) {
  if (size > bound) isOver = true;
  console.log(`${what.padEnd(24)} brotli ${size}${bound === undefined ? "" : ` of ${bound}`}`);
}

const entry = closure("app.js");
const frame = closure("app.js", "shell.js");
const shared = closure("share.js");
for (const [name, size] of sizes) report(name, size, LIBRARIES[name] ?? (frame.has(name) ? undefined : PAGE));
report("entry", sum(entry) + sizes.get("style.css") + sizes.get("index.html"), ENTRY);
report(
  "first load of the list",
  sum(closure("app.js", "shell.js", "experiments.js")) + sizes.get("style.css") + sizes.get("index.html"),
  LIST,
);
report("a shared result", sum(shared) + sizes.get("style.css") + sizes.get("share.html"), SHARED);
if (isOver) console.error("the dashboard has outgrown its bounds");
process.exitCode = isOver ? 1 : 0;
