// Every page of the areas, with the real server: in both themes, at both widths, and with hostile texts in all that people write.

import { after, before, test } from "node:test";
import { AREAS } from "./areas.mjs";
import { Company } from "./company.mjs";
import { PAYLOADS } from "./payloads.mjs";
import { launch, Visit } from "./rig.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** One page, in a visit of its own. */
async function visit(company, seeded, { path, as, act }, settings, examine) {
  const one = await Visit.begin(browser, { address: company.address, ...settings });
  try {
    await company.enter(one, as);
    await one.open(path(seeded, company));
    await act?.(one.page, seeded);
    await one.settled();
    await examine(one);
  } finally {
    await one.end();
  }
}

/** Gives hostile texts one after the other, as many as fit. */
function hostile() {
  let at = 0;
  return (_, most) => {
    let text = "";
    for (let tried = 0; tried < PAYLOADS.length; tried += 1) {
      const next = PAYLOADS[at % PAYLOADS.length];
      if (text.length + next.length + 1 > most) break;
      // What a name cannot have is tested where names are refused.
      text += `${next.replaceAll(/\p{Cc}/gu, " ")} `;
      at += 1;
    }
    return text.trim();
  };
}

for (const [area, { seed, PAGES, OPTIONS }] of Object.entries(AREAS)) {
  test(`area ${area}`, async (t) => {
    const company = await Company.start(OPTIONS);
    t.after(() => company.end());
    const seeded = await seed(company, (plain) => plain);
    for (const [name, page] of Object.entries(PAGES)) {
      await t.test(`page ${name}`, async () => {
        for (const width of [1280, 360])
          await visit(company, seeded, page, { width }, async (one) => {
            await one.examine(name);
            await one.turn("dark");
            await one.examine(name);
          });
      });
    }
  });

  test(`area ${area} with hostile texts`, async (t) => {
    const company = await Company.start(OPTIONS);
    t.after(() => company.end());
    const seeded = await seed(company, hostile());
    for (const [name, page] of Object.entries(PAGES)) {
      await t.test(`page ${name}`, () => visit(company, seeded, page, {}, (one) => one.nothingWrong(name)));
    }
  });
}
