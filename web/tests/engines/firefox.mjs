// Firefox ESR, driven by Puppeteer over WebDriver BiDi, which needs no separate driver.

import { existsSync } from "node:fs";
import puppeteer from "puppeteer-core";
import { PuppeteerPage } from "./puppeteer.mjs";

export const name = "firefox";

/** Starts Firefox without a window. `MURIEL_FIREFOX` names a program other than Debian's. */
export async function launch() {
  const program = process.env.MURIEL_FIREFOX ?? "/usr/bin/firefox-esr";
  if (!existsSync(program)) throw new Error(`${program} is not there: scripts/tools browsers`);
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: program,
    headless: true,
    extraPrefsFirefox: { "network.dns.localDomains": "fixture.co.uk,www.fixture.co.uk" },
    timeout: 120_000,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  return {
    name,
    version: await browser.version(),
    can: { onInit: true, middleClick: true, backForwardCache: true, hiddenTabs: true, suffixes: true },
    newPage: (options) => PuppeteerPage.inNewContext(browser, options),
    close: () => browser.close(),
  };
}
