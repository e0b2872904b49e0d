// What a file of stories stands on: a browser, and a company on the real server. Both are there once this is imported, before any hook.

import { after } from "node:test";
import { Company } from "./company.mjs";
import { launch } from "./rig.mjs";

export const browser = await launch();
export const company = await Company.start().catch(async (error) => {
  await browser.close();
  throw error;
});

after(async () => {
  await browser.close();
  await company.end();
});
