// A company on the worker's server for a test file. Import it before any hook runs.

import { after } from "node:test";
import { Company } from "./company.mjs";
import { muriel, number } from "./worker.mjs";

export { browser, hasPlainTexts } from "./worker.mjs";
export const company = await Company.found(muriel, number);

after(() => company.end());
