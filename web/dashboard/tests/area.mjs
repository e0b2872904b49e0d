// area.mjs FILE: examines every page of an area with the real server in four variations (themes and widths), with hostile
// texts in everything that people write. The first state of each page is loaded, others are reached from the page
// before. With `--full` or `--pictures`, texts are plain, and each page is then opened once more with hostile texts
// alone. FILE is one of `areas/`; `run.mjs` runs each of them in its own process.
//
// An area exports:
// - `seed(company, text)`: creates what the pages need, and returns the data for their paths. `text(plain, most)` is
//   used for every text that people can write: it returns a text of up to `most` characters. `seed` may be called twice,
//   each time with a new project.
// - `PAGES`: the states of pages, by name:
//   - `path(seeded, company)`: the address.
//   - `as`: the role of the user; the owner by default.
//   - `act(page, seeded)`: actions before the page is examined. It runs more than once, so it must not save anything.
//   - `reopen`: true if the state is lost when the width changes, so the page is opened again at 360 px.
//   - `isFixed`: true if the page shows nothing that people write, so it is not examined with hostile texts.

import { resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { PAYLOADS } from "./payloads.mjs";
import { inEveryLook, Tabs, Visit } from "./rig.mjs";
import { browser, company, hasPlainTexts } from "./stage.mjs";

const { seed, PAGES } = await import(pathToFileURL(resolve(process.argv[2])).href);

const tabs = new Tabs(async (role) => {
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, role);
  return visit;
});

/** Opens a page in the state to examine, and calls `work` with the visit. */
function visit(of, seeded, { path, as = "owner", act }, settings, work) {
  return tabs.during(as, path(seeded, of), settings, async (one) => {
    await act?.(one.page, seeded);
    await work(one);
  });
}

/** Returns a function that appends as many of the next hostile texts as fit to `start(plain)`. */
function hostile(start) {
  let at = 0;
  return (plain, most) => {
    let text = start(plain);
    for (let tried = 0; tried < PAYLOADS.length; tried += 1) {
      const next = PAYLOADS[at % PAYLOADS.length];
      if (text.length + next.length + 1 > most) break;
      // Names with invisible characters are refused; other tests check that.
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

/** Pages that have been loaded: addresses without queries, ids and keys. */
const loaded = new Set();
function isFirst(path) {
  const page = path.replace(/\?.*/, "").replaceAll(/\/(\d+|\w+_\w+)(?=\/|$)/g, "/…");
  const isNew = !loaded.has(page);
  loaded.add(page);
  return isNew;
}

/** An area with texts that `text` makes, in the company's first project or in one of its own. */
const seededWith = (text, of = async () => company) =>
  once(async () => {
    const where = await of();
    return { of: where, seeded: await seed(where, text) };
  });

const examined = seededWith(hasPlainTexts ? (plain) => plain : hostile((plain) => `${plain} `));
for (const [name, page] of Object.entries(PAGES)) {
  test(`page ${name}`, async () => {
    const { of, seeded } = await examined();
    const isLoaded = isFirst(page.path(seeded, of));
    await inEveryLook(name, page, (settings, work) => visit(of, seeded, page, { loaded: isLoaded, ...settings }, work));
  });
}

// Runs after all pages were examined with plain texts, because people's names and the inbox belong to the company.
const text = hostile(() => "");
const poisoned = seededWith(text, () => company.another(text("Shop", 60)));
for (const [name, page] of Object.entries(PAGES).filter(([, { isFixed }]) => hasPlainTexts && !isFixed)) {
  test(`page ${name} with hostile texts`, async () => {
    const { of, seeded } = await poisoned();
    await visit(of, seeded, page, { name, loaded: false }, async (one) => {
      await one.settled();
      one.nothingWrong(name);
    });
  });
}
