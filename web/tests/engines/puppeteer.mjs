// @ts-nocheck: constructors take the fields of their classes from an object.
// A page that Puppeteer drives, in Firefox or Chromium.

import { Page } from "./page.mjs";

export class PuppeteerPage extends Page {
  /** Opens a page in a new context, which is closed with it. */
  static async inNewContext(browser, { viewport = { width: 1024, height: 700 } } = {}) {
    return PuppeteerPage.#open(await browser.createBrowserContext(), viewport, true);
  }

  static async #open(context, viewport, owner) {
    const page = await context.newPage();
    await page.setViewport(viewport);
    return Object.assign(new PuppeteerPage(), { context, page, viewport, owner });
  }

  evaluated(text) {
    return this.page.evaluate(text);
  }

  // By a script in the page, as Puppeteer's `goto` waits for the whole document.
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
    return PuppeteerPage.#open(this.context, this.viewport, false);
  }

  close() {
    return this.owner ? this.context.close() : this.page.close();
  }
}
