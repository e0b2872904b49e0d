// area.mjs FILE: visits every page of an area with the real server: in four looks, and then once with hostile texts in all that people
// write. FILE is one of `areas/`; `run.mjs` runs each of them in a process of its own.
//
// An area exports:
// - `seed(company, text)`: makes what the pages need, and returns what their paths are made of. `text(plain, most)` is every text that
//   somebody could write: the plain one, or hostile ones of up to `most` characters. It is called twice, each time with a project of its own.
// - `PAGES`: the states of pages, by name:
//   - `path(seeded, company)`: the address.
//   - `as`: the role of who looks; the owner unless said.
//   - `act(page, seeded)`: what is done before the page is examined. It is done more than once, so it saves nothing.
//   - `reopen`: the state does not survive another width of the window, so it is opened once more at 360 px.

import { resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { PAYLOADS } from "./payloads.mjs";
import { inEveryLook, Tabs, Visit } from "./rig.mjs";
import { browser, company } from "./stage.mjs";

const { seed, PAGES } = await import(pathToFileURL(resolve(process.argv[2])).href);

const tabs = new Tabs(async (role) => {
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, role);
  return visit;
});

/** Opens a page in the state that is to be examined, and does `work` with the visit. */
function visit(of, seeded, { path, as = "owner", act }, settings, work) {
  return tabs.during(as, settings, async (one) => {
    await one.open(path(seeded, of));
    await act?.(one.page, seeded);
    await work(one);
  });
}

/** Returns hostile texts one after the other, as many as fit. */
function hostile() {
  let at = 0;
  return (_, most) => {
    let text = "";
    for (let tried = 0; tried < PAYLOADS.length; tried += 1) {
      const next = PAYLOADS[at % PAYLOADS.length];
      if (text.length + next.length + 1 > most) break;
      // Characters that cannot be seen are refused in names, which other tests show.
      text += `${next.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ")} `;
      at += 1;
    }
    return text.trim();
  };
}

const once = (make) => {
  let made;
  return () => (made ??= make());
};

const plain = once(() => seed(company, (text) => text));
/** Addresses that a state was examined at. */
const examined = new Set();
for (const [name, page] of Object.entries(PAGES)) {
  test(`page ${name}`, async () => {
    const seeded = await plain();
    const path = page.path(seeded, company);
    const looks = { reopen: page.reopen, isRepeat: examined.has(path) };
    examined.add(path);
    await inEveryLook(name, looks, (settings, work) => visit(company, seeded, page, settings, work));
  });
}

// After all pages were seen with plain texts, as names of people and the inbox are the company's.
const poisoned = once(async () => {
  const text = hostile();
  const other = await company.another(text("Shop", 60));
  return { other, seeded: await seed(other, text) };
});
for (const [name, page] of Object.entries(PAGES)) {
  test(`page ${name} with hostile texts`, async () => {
    const { other, seeded } = await poisoned();
    await visit(other, seeded, page, { name }, async (one) => {
      await one.settled();
      one.nothingWrong(name);
    });
  });
}
