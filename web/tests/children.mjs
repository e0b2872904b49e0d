// Processes that a run starts: each in a group of its own, so that what it starts in turn goes with it.

import { spawn } from "node:child_process";

const running = new Set();

/** Starts a program; `stop` ends it. It does not outlive the run, as long as the run can still do something about it. */
export function start(program, args, options) {
  const child = spawn(program, args, { ...options, detached: true });
  running.add(child);
  child.on("error", () => running.delete(child));
  return child;
}

/** Ends a process and all of its group: asked first, then made to. */
export async function stop(child, patienceMs = 5_000) {
  if (child.pid === undefined) return;
  const gone =
    child.exitCode !== null || child.signalCode !== null
      ? Promise.resolve()
      : new Promise((done) => child.once("exit", done));
  signal(child, "SIGTERM");
  const timer = setTimeout(() => signal(child, "SIGKILL"), patienceMs);
  await gone;
  clearTimeout(timer);
  // What the process left behind of its group.
  signal(child, "SIGKILL");
  running.delete(child);
}

function signal(child, name) {
  try {
    process.kill(-child.pid, name);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

// The last resort, for ends that nobody waits for.
process.on("exit", () => {
  for (const child of running) if (child.pid !== undefined) signal(child, "SIGKILL");
});
