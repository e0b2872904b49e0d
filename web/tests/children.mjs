// Child processes of a run. Each has its own process group, so that its children end with it.

import { spawn } from "node:child_process";
import { createServer } from "node:net";

const running = new Set();

/** Starts a program; `stop` ends it. When this process exits, it kills the program. */
export function start(program, args, options) {
  const child = spawn(program, args, { ...options, detached: true });
  running.add(child);
  child.on("error", () => running.delete(child));
  return child;
}

/** Ends a process and its group, by SIGTERM, and after `timeoutMs` by SIGKILL. */
export async function stop(child, timeoutMs = 5_000) {
  if (child.pid === undefined) return;
  const gone =
    child.exitCode !== null || child.signalCode !== null
      ? Promise.resolve()
      : new Promise((done) => child.once("exit", done));
  signal(child, "SIGTERM");
  const timer = setTimeout(() => signal(child, "SIGKILL"), timeoutMs);
  await gone;
  clearTimeout(timer);
  // Other processes of the group may still run.
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

// For children that were not stopped.
process.on("exit", () => {
  for (const child of running) if (child.pid !== undefined) signal(child, "SIGKILL");
});

/** A port for a program that cannot choose one itself. */
export function freePort() {
  return new Promise((done, failed) => {
    const probe = createServer()
      .once("error", failed)
      .listen(0, "127.0.0.1", () => {
        const { port } = /** @type {import("node:net").AddressInfo} */ (probe.address());
        probe.close(() => done(port));
      });
  });
}
