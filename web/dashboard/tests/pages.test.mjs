// Every page in both themes, at both widths: axe finds nothing, the policy reports nothing, nothing is wider than the window.

import { after, before, test } from "node:test";
import { PAGES } from "./pages.mjs";
import { launch, Visit } from "./rig.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

for (const [name, { path, as, server, act }] of Object.entries(PAGES)) {
  test(`page ${name}`, async () => {
    for (const theme of ["light", "dark"]) {
      for (const width of [1280, 360]) {
        const visit = await Visit.begin(browser, { theme, width, ...server });
        try {
          if (as !== null) await signIn(visit, as);
          await visit.open(path);
          await act?.(visit.page);
          await visit.settled();
          await visit.examine(name);
        } finally {
          await visit.end();
        }
      }
    }
  });
}

/** By the interface: the form has a page of its own. */
async function signIn(visit, email = "grace@example.com") {
  const answer = await visit.context.request.post(`${visit.address}/v2/session`, {
    data: { email, password: "correct horse battery" },
  });
  if (!answer.ok()) throw Error(await answer.text());
}
