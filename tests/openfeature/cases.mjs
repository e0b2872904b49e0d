// What both JavaScript clients are tried with: the scene that `run` made, and a line for each case.

import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";

/** Packages are installed where this runs, not where it lies. */
export const packages = createRequire(`${process.cwd()}/`);
export const scene = JSON.parse(process.env.MURIEL_OPENFEATURE_SCENE);

/** Runs one case; `ok` or `not ok` and its name is what `run` counts. */
export async function check(name, body) {
  try {
    await body();
    console.log(`ok ${name}`);
  } catch (error) {
    console.log(`not ok ${name}: ${error.message}`);
  }
}

export function equal(got, expect) {
  if (!isDeepStrictEqual(got, expect)) {
    throw new Error(`got ${JSON.stringify(got)}, not ${JSON.stringify(expect)}`);
  }
}

export function holds(condition, what) {
  if (!condition) throw new Error(what);
}

/** What an application sees of an evaluation. */
export function seen(details) {
  return [details.value, details.reason, details.flagMetadata.in_experiment];
}

/** What an application sees of one that failed. */
export function failed(details) {
  return [details.value, details.errorCode];
}

export const bearer = (key) => [["Authorization", `Bearer ${key}`]];
