// @ts-nocheck: constructors take the fields of their classes from an object.
// The real server, with a temporary data directory.

import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, openSync, closeSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./bundle.mjs";
import { start, stop } from "./children.mjs";
import { until } from "./engines/page.mjs";

/** The server's binary: `MURIEL_BIN`, or the debug build. */
function program() {
  const path = process.env.MURIEL_BIN ?? resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target", "debug/muriel");
  if (!existsSync(path)) throw new Error(`${path} is not there: build it first (scripts/cargo build --bin muriel)`);
  return path;
}

/** The environment with the folder of DuckDB's library, where the program was not compiled with it. */
function environment() {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell reads it.
  const script = '. scripts/env.sh; printf %s "${LD_LIBRARY_PATH:-}"';
  const library = execFileSync("sh", ["-c", script], { cwd: ROOT, encoding: "utf8" });
  // It takes events however little is free on the disk of the machine that tests.
  return { ...process.env, MURIEL_LOG_RESERVE: "1", ...(library && { LD_LIBRARY_PATH: library }) };
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
  static start(options = []) {
    return new Muriel().begin("serve", options);
  }

  /** A server that another process has started, and that process stops. */
  static at({ url, data }) {
    return Object.assign(new Muriel(), { program: program(), env: environment(), url, data });
  }

  async begin(command, options) {
    this.program = program();
    this.env = environment();
    this.data = mkdtempSync(join(tmpdir(), "muriel-browsers-"));
    try {
      [, this.url] = await this.#serve(command, options);
    } catch (error) {
      await this.stop();
      throw error;
    }
    return this;
  }

  #serve(command, options) {
    const log = join(this.data, "serve.log");
    const file = openSync(log, "w");
    const args = [command, "--data-dir", this.data, "--listen", "127.0.0.1:0", "--metrics-listen", "off"];
    this.child = start(this.program, [...args, "--rate-limits", "off", ...options], {
      stdio: ["ignore", "pipe", file],
      env: this.env,
    });
    closeSync(file);
    const ended = new Promise((_, failed) => {
      this.child.once("error", failed);
      this.child.once("exit", (status) => {
        failed(new Error(`muriel ended with status ${status}: ${readFileSync(log, "utf8").slice(-2000)}`));
      });
    });
    // Once it runs nobody waits for that.
    ended.catch(() => {});
    let said = "";
    this.child.stdout.setEncoding("utf8").on("data", (part) => (said += part));
    /** The match of a pattern in what it prints, now or later. */
    this.told = async (pattern) => {
      for (;;) {
        const found = pattern.exec(said);
        if (found) return found;
        await Promise.race([once(this.child.stdout, "data"), ended]);
      }
    };
    return this.told(/^muriel ready (\S+)\n/m);
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

/**
 * `muriel demo` on free ports, without its simulated visitors: they would meet the experiments too.
 *
 * - `site`: where its shop is, which is where its experiments are.
 * - `shop`: the shop's project.
 */
export class Demo extends Muriel {
  static async start() {
    const demo = new Demo();
    await demo.begin("demo", ["--shop-listen", "127.0.0.1:0", "--no-visitors"]);
    try {
      [, demo.site] = await demo.told(/^ *The shop +(\S+)\n/m);
      const [, secret] = await demo.told(/^ *API key +(\S+)\n/m);
      demo.shop = new Project(demo, { project_key: "prj_northwind_shop", api_key: secret });
      // The last of what the company did is delivered within a second.
      const { experiments } = await demo.shop.call("GET", "/experiments?limit=500");
      const live = new Set(experiments.filter(({ status }) => status === 1).map(({ test_id }) => test_id));
      await until("what is live is delivered", async () =>
        (await demo.shop.ruleset()).experiments.every(({ test_id, serving }) => serving || live.has(test_id)),
      );
    } catch (error) {
      await demo.stop();
      throw error;
    }
    return demo;
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

  /**
   * The id of a visitor whom the server gives these arms: their numbers by the experiments' keys, null for none. `context`
   * is what is known of the visitor, as OFREP takes it.
   */
  async visitor(arms, context = {}) {
    for (let tried = 0; tried < 1_000; tried += 1) {
      const targetingKey = `visitor-${tried}`;
      const { flags } = await this.call("POST", "/ofrep/v1/evaluate/flags", { context: { ...context, targetingKey } });
      const given = new Map(
        flags.map(({ key, reason, metadata }) => [key, reason === "DEFAULT" ? null : +metadata.variant_id]),
      );
      if (Object.entries(arms).every(([key, arm]) => given.get(key) === arm)) return targetingKey;
    }
    throw new Error(`no visitor gets ${JSON.stringify(arms)}`);
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
