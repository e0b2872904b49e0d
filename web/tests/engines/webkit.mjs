// @ts-nocheck: constructors take the fields of their classes from an object.
// WebKitGTK's MiniBrowser in a virtual screen, over plain WebDriver.

import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, start, stop } from "../children.mjs";
import { Page, until } from "./page.mjs";

export const name = "webkit";

/** Number of pages after which a browser is replaced by a new one. */
const PAGES_PER_BROWSER = 20;
/**
 * The timeout of a command to the driver, in milliseconds. It equals that of a whole test, as a page of frames runs a
 * whole test in one command.
 */
const COMMAND_TIMEOUT_MS = 240_000;

/** Starts a screen, the driver and MiniBrowser. `MURIEL_WEBKIT_DRIVER` and `MURIEL_WEBKIT` name other programs. */
export async function launch() {
  const driver = process.env.MURIEL_WEBKIT_DRIVER ?? "/usr/bin/WebKitWebDriver";
  const program = process.env.MURIEL_WEBKIT ?? miniBrowser();
  for (const each of [driver, program, "/usr/bin/Xvfb"]) {
    if (!existsSync(each)) throw new Error(`${each} is not there: scripts/tools browsers`);
  }
  const home = mkdtempSync(join(tmpdir(), "muriel-webkit-"));
  const children = [];
  const close = async () => {
    for (const child of children.toReversed()) await stop(child);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const screen = start("/usr/bin/Xvfb", ["-displayfd", "3", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"], {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
    });
    children.push(screen);
    const display = await firstLine(screen, screen.stdio[3]);
    const port = await freePort();
    const child = start(driver, [`--port=${port}`, "--host=127.0.0.1"], {
      stdio: "ignore",
      env: {
        ...process.env,
        DISPLAY: `:${display}`,
        // The sandbox does not start as root; the pages are our own.
        ...(process.getuid?.() === 0 && { WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1" }),
        NO_AT_BRIDGE: "1",
        LC_ALL: "en_US.UTF-8",
        LANGUAGE: "en_US",
        XDG_CACHE_HOME: home,
        XDG_CONFIG_HOME: home,
        XDG_DATA_HOME: home,
      },
    });
    children.push(child);
    const url = `http://127.0.0.1:${port}`;
    await until("WebKitWebDriver answers", async () => {
      const status = await fetch(`${url}/status`);
      await status.text();
      return status.ok;
    });
    let session = await Session.open(url, program);
    const { version } = session;
    let pages = 0;
    const newPage = async ({ viewport = { width: 1024, height: 700 } } = {}) => {
      pages += 1;
      // The processes of closed windows remain for a while, with a hundred megabytes each.
      if (pages > PAGES_PER_BROWSER && (await session.isEmpty())) {
        await session.end();
        session = await Session.open(url, program);
        pages = 1;
      }
      return session.page(viewport, true);
    };
    return {
      name,
      version: `WebKitGTK ${version}`,
      // The driver always releases the left button, whichever was pressed, and cannot run scripts before the page's.
      can: { onInit: false, middleClick: false, backForwardCache: true },
      newPage,
      close: async () => {
        // Without this, the browser's processes would be orphaned. A browser that hangs is not waited for.
        await session.end().catch(() => {});
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function miniBrowser() {
  for (const folder of readdirSync("/usr/lib")) {
    const program = `/usr/lib/${folder}/webkit2gtk-4.1/MiniBrowser`;
    if (existsSync(program)) return program;
  }
  return "/usr/lib/…/webkit2gtk-4.1/MiniBrowser";
}

function firstLine(child, stream) {
  return new Promise((done, failed) => {
    let text = "";
    stream.setEncoding("utf8").on("data", (part) => {
      text += part;
      if (text.includes("\n")) done(text.trim());
    });
    child.once("error", failed);
    child.once("exit", (status) => failed(new Error(`${child.spawnfile} ended with status ${status}`)));
  });
}

/** A session of the driver: one browser. Commands go to one window at a time, so they wait for each other. */
class Session {
  static async open(url, binary) {
    const browser = { binary, args: ["--automation"] };
    // `Page` waits for documents itself, in the same way for all engines.
    const wanted = {
      "webkitgtk:browserOptions": browser,
      pageLoadStrategy: "none",
      timeouts: { script: COMMAND_TIMEOUT_MS },
    };
    const made = await command(`${url}/session`, "POST", { capabilities: { alwaysMatch: wanted } });
    const session = new Session();
    session.url = `${url}/session/${made.sessionId}`;
    session.version = made.capabilities.browserVersion;
    session.last = Promise.resolve();
    session.turned = 0;
    // The first window stays open and empty: a session ends with its last window.
    session.first = await command(`${session.url}/window`, "GET");
    session.current = session.first;
    return session;
  }

  /** Sends commands to a window, one after the other; `steps` gets a function that sends one. */
  inWindow(handle, steps) {
    const send = (method, path, body) => command(this.url + path, method, body);
    const turn = this.last.then(async () => {
      if (this.current !== handle) {
        await send("POST", "/window", { handle });
        this.current = handle;
      }
      return steps(send);
    });
    this.last = turn.catch(() => {});
    return turn;
  }

  async page({ width, height }, owner) {
    // A new window, as a tab behind others is hidden and takes no clicks.
    const { handle } = await this.inWindow(this.first, (send) => send("POST", "/window/new", { type: "window" }));
    const page = new WebKitPage(this, handle, { width, height }, owner);
    await this.inWindow(handle, async (send) => {
      // The window's frame and bars are added to the size that pages see.
      const size = () => send("POST", "/execute/sync", { script: "return [innerWidth, innerHeight]", args: [] });
      const rect = await send("GET", "/window/rect");
      const [innerWidth, innerHeight] = await size();
      if (innerWidth !== width || innerHeight !== height) {
        const to = { width: rect.width + width - innerWidth, height: rect.height + height - innerHeight };
        await send("POST", "/window/rect", to);
        await until("the window has its size", async () => String(await size()) === `${width},${height}`);
      }
    });
    return page;
  }

  /** All windows except the empty one. */
  async #windows() {
    const handles = await this.inWindow(this.first, (send) => send("GET", "/window/handles"));
    return handles.filter((handle) => handle !== this.first);
  }

  async isEmpty() {
    return (await this.#windows()).length === 0;
  }

  /** Closes all windows except the empty one. */
  async clear() {
    for (const handle of await this.#windows()) await this.shut(handle);
  }

  async shut(handle) {
    await this.inWindow(handle, (send) => send("DELETE", "/window"));
    this.current = null;
  }

  end() {
    return command(this.url, "DELETE", undefined, 5_000);
  }
}

async function command(url, method, body, ms = COMMAND_TIMEOUT_MS) {
  const signal = AbortSignal.timeout(ms);
  const answer = await fetch(url, { method, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  const { value } = await answer.json();
  if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

const BUTTONS = { left: 0, middle: 1, right: 2 };

// Keys without a character, with their code points in the specification of WebDriver.
const KEYS = {
  Backspace: "\uE003",
  Tab: "\uE004",
  Enter: "\uE007",
  Shift: "\uE008",
  Control: "\uE009",
  Alt: "\uE00A",
  Escape: "\uE00C",
  PageUp: "\uE00E",
  PageDown: "\uE00F",
  End: "\uE010",
  Home: "\uE011",
  ArrowLeft: "\uE012",
  ArrowUp: "\uE013",
  ArrowRight: "\uE014",
  ArrowDown: "\uE015",
  Delete: "\uE017",
  Space: " ",
};

class WebKitPage extends Page {
  constructor(session, handle, viewport, owner) {
    super();
    Object.assign(this, { session, handle, viewport, owner });
  }

  #send(method, path, body) {
    return this.session.inWindow(this.handle, (send) => send(method, path, body));
  }

  #act(...actions) {
    return this.#send("POST", "/actions", { actions });
  }

  evaluated(text) {
    return this.#send("POST", "/execute/sync", { script: `return ${text}`, args: [] });
  }

  async navigate(url) {
    await this.#send("POST", "/url", { url });
  }

  async mouse({ x, y }, button) {
    const move = { type: "pointerMove", duration: 0, x, y, origin: "viewport" };
    const press = ["pointerDown", "pointerUp"].map((type) => ({ type, button: BUTTONS[button] }));
    const actions = button ? [move, ...press] : [move];
    await this.#act({ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions });
  }

  async keys(combination) {
    const codes = combination.map((key) => {
      if (KEYS[key] === undefined && [...key].length !== 1) throw new Error(`no key is called ${key}`);
      return KEYS[key] ?? key;
    });
    const down = codes.map((value) => ({ type: "keyDown", value }));
    const up = codes.toReversed().map((value) => ({ type: "keyUp", value }));
    await this.#act({ type: "key", id: "keyboard", actions: [...down, ...up] });
  }

  async wheeled({ x, y }, deltaY) {
    await this.mouse({ x, y }, null);
    // The driver scrolls by the difference to the previous call, in whichever window that was.
    const turned = (this.session.turned += deltaY);
    await this.#act({ type: "wheel", id: "wheel", actions: [{ type: "scroll", x, y, deltaX: 0, deltaY: turned }] });
  }

  async onInit() {
    throw new Error("WebKit's driver has no scripts before the page's");
  }

  async screenshot() {
    return Buffer.from(await this.#send("GET", "/screenshot"), "base64");
  }

  tab() {
    return this.session.page(this.viewport, false);
  }

  close() {
    return this.owner ? this.session.clear() : this.session.shut(this.handle);
  }
}
