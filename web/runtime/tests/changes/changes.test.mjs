// Runs the suites of this folder in the Chromium that CHROMIUM names.

import { after, before, test } from "node:test";
import { launch, serve } from "./harness.mjs";
import kinds from "./kinds.suite.mjs";
import late from "./late.suite.mjs";
import policy from "./policy.suite.mjs";
import code from "./code.suite.mjs";
import react from "./react.suite.mjs";

let browser, server;
before(async () => {
  server = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.close();
});

for (const [group, cases] of Object.entries({ kinds, late, policy, code, react })) {
  for (const [name, run] of cases) {
    test(`${group}: ${name}`, async () => {
      const context = await browser.newContext();
      try {
        await run(await context.newPage(), server);
      } finally {
        await context.close();
      }
    });
  }
}
