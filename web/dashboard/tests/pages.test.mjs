// Every page with the development server, in both themes and at both widths: axe has no findings, the policy has no
// violations, and nothing is wider than the window.

import { after, test } from "node:test";
import { start } from "../dev/server.mjs";
import { PAGES } from "./pages.mjs";
import { inEveryLook, PASSWORD, Tabs, Visit } from "./rig.mjs";
import { browser } from "./worker.mjs";

/** A development server for each `server` object, with tabs of its users. */
const servers = new Map();
for (const { server } of Object.values(PAGES)) {
  if (servers.has(server)) continue;
  const shared = await start(server);
  const tabs = new Tabs(async (email) => {
    const visit = await Visit.begin(browser, { shared });
    if (email !== null) await signIn(visit, email);
    return visit;
  });
  servers.set(server, { shared, tabs });
}
after(() => Promise.all([...servers.values()].map(({ shared }) => shared.end())));

for (const [name, state] of Object.entries(PAGES)) {
  const { path, as = "grace@example.com", server, act } = state;
  test(`page ${name}`, () =>
    inEveryLook(name, state, (settings, work) =>
      servers.get(server).tabs.during(as, path, settings, async (visit) => {
        await act?.(visit.page);
        await work(visit);
      }),
    ));
}

/** Signs in by the API, because the form is tested as a page. */
async function signIn(visit, email) {
  const answer = await visit.context.request.post(`${visit.address}/v2/session`, {
    data: { email, password: PASSWORD },
  });
  if (!answer.ok()) throw Error(await answer.text());
}
