// The areas of the dashboard whose pages are tried with the real server: what each needs to be there, and its pages.
//
// `seed(company, text)` makes it and gives back what paths are made of. `text(plain, most)` is every text that somebody could write: the
// plain one, or hostile ones of up to `most` characters.
//
// `OPTIONS` are further ones of the server, if it needs any.
//
// `PAGES` by name:
// - `path(seeded, company)`: where it is.
// - `as`: the role of who looks; the owner unless said.
// - `act(page, seeded)`: what is done before it is examined. It is done three times, so it saves nothing.

import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("areas/", import.meta.url));

/** @type {Record<string, { seed: Function, OPTIONS?: string[], PAGES: Record<string, { path: Function, as?: string, act?: Function }> }>} */
export const AREAS = Object.fromEntries(
  await Promise.all(
    readdirSync(folder)
      .filter((file) => /^[\w-]+\.mjs$/.test(file))
      .map(async (file) => [file.replace(".mjs", ""), await import(folder + file)]),
  ),
);
