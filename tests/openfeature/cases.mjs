// Code for the tests of both JavaScript clients: the scene that `run` created, and the output of a line for each case.

import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";

/** Imports packages from the working directory, where they are installed, not from the folder of this file. */
export const packages = createRequire(`${process.cwd()}/`);
export const scene = JSON.parse(process.env.MURIEL_OPENFEATURE_SCENE);

/** Runs one case and prints `ok` or `not ok` with its name, which `run` counts. */
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

/** The values of an evaluation that an application sees. */
export function seen(details) {
  return [details.value, details.reason, details.flagMetadata.in_experiment];
}

/** The values of a failed evaluation that an application sees. */
export function failed(details) {
  return [details.value, details.errorCode];
}

export const bearer = (key) => [["Authorization", `Bearer ${key}`]];
