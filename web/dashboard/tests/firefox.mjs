#!/usr/bin/env node
// firefox.mjs ARGUMENTS…: Firefox for Playwright, which drives it by WebDriver BiDi and uses commands that Firefox ESR
// does not have. This program is between both: it answers those commands with success, and forwards everything else.
// `MURIEL_FIREFOX` names another program than Debian's.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { WebSocket, WebSocketServer } from "ws";

/** Missing commands. Without them, a page has the browser's default settings. */
const LACKED = new Set(["emulation.setMediaFeaturesOverride"]);
const MOST = 256 * 1024 * 1024;

const firefox = spawn(process.env.MURIEL_FIREFOX ?? "/usr/bin/firefox-esr", process.argv.slice(2), {
  stdio: ["inherit", "inherit", "pipe"],
});
firefox.on("exit", (status) => process.exit(status ?? 1));
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => firefox.kill(signal));

createInterface({ input: firefox.stderr }).on("line", (line) => {
  const [, said, address] = /^(WebDriver BiDi listening on )(ws:\S+)$/.exec(line) ?? [];
  if (address === undefined) return process.stderr.write(`${line}\n`);
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, maxPayload: MOST });
  server.on("listening", () => process.stderr.write(`${said}ws://127.0.0.1:${server.address().port}\n`));
  server.on("connection", (near, request) => between(near, new WebSocket(address + request.url, { maxPayload: MOST })));
});

function between(near, far) {
  const waiting = [];
  near.on("message", (data) => {
    const message = String(data);
    const { id, method } = JSON.parse(message);
    if (LACKED.has(method)) near.send(JSON.stringify({ type: "success", id, result: {} }));
    else if (far.readyState === WebSocket.OPEN) far.send(message);
    else waiting.push(message);
  });
  far.on("open", () => {
    for (const message of waiting.splice(0)) far.send(message);
  });
  far.on("message", (data) => near.send(String(data)));
  far.on("close", () => near.close());
  near.on("close", () => far.close());
}
