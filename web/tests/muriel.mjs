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

/** The environment, with the folder of DuckDB's library if the binary links it dynamically. */
function environment() {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell reads it.
  const script = '. scripts/env.sh; printf %s "${LD_LIBRARY_PATH:-}"';
  const library = execFileSync("sh", ["-c", script], { cwd: ROOT, encoding: "utf8" });
  // The server accepts events even if the test machine's disk is nearly full.
  return { ...process.env, MURIEL_LOG_RESERVE: "1", ...(library && { LD_LIBRARY_PATH: library }) };
}

/**
 * `muriel serve` on a free port.
 *
 * - `url`: its address.
 * - `project(name)`: creates a project and returns a client for it.
 * - `muriel(...args)`: runs a command of the binary on the same data and returns its output.
 * - `stop()`: ends the server and removes its data.
 */
export class Muriel {
  /** Starts the server; `options` are further options of `serve`. */
  static start(options = []) {
    return new Muriel().begin("serve", options);
  }

  /** A server that another process has started and will stop. */
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
    // Once the server runs, the promise is not awaited, so its rejection has to be handled.
    ended.catch(() => {});
    let said = "";
    this.child.stdout.setEncoding("utf8").on("data", (part) => (said += part));
    /** Waits for a match of a pattern in the output and returns it. */
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

  /** Creates a project in a new company, which can be used at once. */
  async project(name = "Shop") {
    this.companies = (this.companies ?? 0) + 1;
    const company = ["--company", `Company ${this.companies}`];
    const made = JSON.parse(await this.muriel("project", "create", ...company, "--name", name, "--json"));
    const project = new Project(this, made);
    // A running server accepts keys that another process has created within a second.
    await until("the new key holds", () => project.call("GET", "/experiments?limit=1"));
    await until("its pages are served", async () => {
      const script = await fetch(`${this.url}/js/${project.key}.js`);
      // Always read: a process does not end while the body of an answer is unread.
      return (await script.text()) !== "" && script.ok;
    });
    return project;
  }

  async stop() {
    if (this.child) await stop(this.child, 15_000);
    rmSync(this.data, { recursive: true, force: true });
  }
}

/**
 * `muriel demo` on free ports, without its simulated visitors, which would be exposed to the experiments, too.
 *
 * - `site`: the address of its shop, where its experiments are.
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
      // The last changes to the demo's experiments are delivered within a second.
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

/** A client for one project over HTTP, with a key that has all scopes. */
class Project {
  constructor(server, { project_key: key, api_key: secret }) {
    Object.assign(this, { server, key, secret });
  }

  /**
   * Makes a request below the project's path and returns the parsed response.
   *
   * @throws {Error} If the response is not a success, with the response.
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

  /**
   * Creates a live experiment with one variant; `fields` as in create-experiment. Returns the response, with `test_id`.
   */
  experiment(fields) {
    const plain = { test_name: "Fixture", url: "https://shop.example/", status: 1, variants: [{ name: "Variant 1" }] };
    return this.call("POST", "/create-experiment", { ...plain, ...fields });
  }

  /**
   * Finds the id of a visitor to whom the server assigns these arms: their numbers by the experiments' keys, null for
   * none. `context` has facts about the visitor, in OFREP's form.
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

  /** The ruleset that pages get. */
  async ruleset() {
    const answer = await fetch(`${this.server.url}/ruleset/${this.key}`);
    if (!answer.ok) throw new Error(`ruleset: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  /** The events in the log, oldest first, in the form of the log's export. */
  async events() {
    const lines = (await this.server.muriel("log", "export", "--project", this.key)).split("\n");
    return lines.filter(Boolean).map((line) => JSON.parse(line));
  }
}
