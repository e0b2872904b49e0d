// Firefox ESR, by Puppeteer over WebDriver BiDi: it needs no driver of its own.

import { existsSync } from "node:fs";
import puppeteer from "puppeteer-core";
import { Page } from "./page.mjs";

export const name = "firefox";

/** Starts Firefox without a window; `MURIEL_FIREFOX` names another program than Debian's. */
export async function launch() {
  const program = process.env.MURIEL_FIREFOX ?? "/usr/bin/firefox-esr";
  if (!existsSync(program)) throw new Error(`${program} is not there: scripts/tools browsers`);
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: program,
    headless: true,
    timeout: 120_000,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  return {
    name,
    version: await browser.version(),
    can: { onInit: true, middleClick: true, backForwardCache: true },
    newPage: async ({ viewport = { width: 1024, height: 700 } } = {}) =>
      newTab(await browser.createBrowserContext(), viewport, true),
    close: () => browser.close(),
  };
}

async function newTab(context, viewport, owner) {
  const page = await context.newPage();
  await page.setViewport(viewport);
  return new FirefoxPage(context, page, viewport, owner);
}

class FirefoxPage extends Page {
  constructor(context, page, viewport, owner) {
    super();
    Object.assign(this, { context, page, viewport, owner });
  }

  evaluated(text) {
    return this.page.evaluate(text);
  }

  // From inside: Puppeteer's own way waits for the whole document.
  async navigate(url) {
    await this.evaluate((to) => void setTimeout(() => location.assign(to)), url);
  }

  async mouse({ x, y }, button) {
    await (button ? this.page.mouse.click(x, y, { button }) : this.page.mouse.move(x, y));
  }

  async keys(combination) {
    for (const key of combination) await this.page.keyboard.down(key);
    for (const key of combination.toReversed()) await this.page.keyboard.up(key);
  }

  async wheeled({ x, y }, deltaY) {
    await this.page.mouse.move(x, y);
    await this.page.mouse.wheel({ deltaY });
  }

  async onInit(script) {
    await this.page.evaluateOnNewDocument(script);
  }

  async screenshot() {
    return Buffer.from(await this.page.screenshot());
  }

  tab() {
    return newTab(this.context, this.viewport, false);
  }

  close() {
    return this.owner ? this.context.close() : this.page.close();
  }
}
