// The real server, on a data directory that goes with it.

import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, openSync, closeSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./bundle.mjs";
import { start, stop } from "./children.mjs";
import { until } from "./engines/page.mjs";

/** The program: `MURIEL_BIN`, or the debug build. */
function program() {
  const path = process.env.MURIEL_BIN ?? resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target", "debug/muriel");
  if (!existsSync(path)) throw new Error(`${path} is not there: build it first (scripts/cargo build --bin muriel)`);
  return path;
}

/** The environment with the folder of DuckDB's library, where the program was not compiled with it. */
function environment() {
  const script = '. scripts/env.sh; printf %s "${LD_LIBRARY_PATH:-}"';
  const library = execFileSync("sh", ["-c", script], { cwd: ROOT, encoding: "utf8" });
  return { ...process.env, ...(library && { LD_LIBRARY_PATH: library }) };
}

/**
 * `muriel serve` on a free port.
 *
 * - `url`: where it answers.
 * - `project(name)`: a new project and a client of it.
 * - `muriel(...args)`: runs a command of the program on the same data; gives back what it printed.
 * - `stop()`: ends the server and removes its data.
 */
export class Muriel {
  /** Starts it; `options` are further ones of `serve`. */
  static async start(options = []) {
    const server = new Muriel();
    server.program = program();
    server.env = environment();
    server.data = mkdtempSync(join(tmpdir(), "muriel-browsers-"));
    try {
      await server.#serve(options);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  async #serve(options) {
    const log = join(this.data, "serve.log");
    const file = openSync(log, "w");
    const args = ["serve", "--data-dir", this.data, "--listen", "127.0.0.1:0", "--metrics-listen", "off"];
    this.child = start(this.program, [...args, "--rate-limits", "off", ...options], {
      stdio: ["ignore", "pipe", file],
      env: this.env,
    });
    closeSync(file);
    this.url = await new Promise((ready, failed) => {
      let said = "";
      this.child.stdout.setEncoding("utf8").on("data", (part) => {
        said += part;
        const line = /^muriel ready (\S+)\n/m.exec(said);
        if (line) ready(line[1]);
      });
      this.child.once("error", failed);
      this.child.once("exit", (status) => {
        failed(new Error(`muriel ended with status ${status}: ${readFileSync(log, "utf8").slice(-2000)}`));
      });
    });
  }

  async muriel(...args) {
    const options = { env: this.env, timeout: 60_000 };
    const { stdout } = await promisify(execFile)(this.program, [...args, "--data-dir", this.data], options);
    return stdout;
  }

  /** A project of a company of its own, usable at once. */
  async project(name = "Shop") {
    this.companies = (this.companies ?? 0) + 1;
    const company = ["--company", `Company ${this.companies}`];
    const made = JSON.parse(await this.muriel("project", "create", ...company, "--name", name, "--json"));
    const project = new Project(this, made);
    // Keys made beside a running server hold there within a second.
    await until("the new key holds", () => project.call("GET", "/experiments?limit=1"));
    await until("its pages are served", async () => (await fetch(`${this.url}/js/${project.key}.js`)).ok);
    return project;
  }

  async stop() {
    if (this.child) await stop(this.child, 15_000);
    rmSync(this.data, { recursive: true, force: true });
  }
}

/** One project over HTTP, with a key that may do everything. */
class Project {
  constructor(server, { project_key: key, api_key: secret }) {
    Object.assign(this, { server, key, secret });
  }

  /**
   * One call below the project's path; gives back the parsed answer.
   *
   * @throws {Error} Whatever is not a success, with what came instead.
   */
  async call(method, path, body) {
    const answer = await fetch(`${this.server.url}/v2/project/${this.key}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.secret}`, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
    return JSON.parse(text);
  }

  /** Makes a live experiment with one treatment; `fields` as in create-experiment. Gives back the answer, with `test_id`. */
  experiment(fields) {
    const plain = { test_name: "Fixture", url: "https://shop.example/", status: 1, variants: [{ name: "Variant 1" }] };
    return this.call("POST", "/create-experiment", { ...plain, ...fields });
  }

  /** What pages get to decide by. */
  async ruleset() {
    const answer = await fetch(`${this.server.url}/ruleset/${this.key}`);
    if (!answer.ok) throw new Error(`ruleset: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  /** Events in the log, oldest first, as the log's export has them. */
  async events() {
    const lines = (await this.server.muriel("log", "export", "--project", this.key)).split("\n");
    return lines.filter(Boolean).map((line) => JSON.parse(line));
  }
}
