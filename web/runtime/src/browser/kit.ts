// The functions that the script passes to its parts, so that no part bundles them again. In the parts, build.mjs replaces imports
// from these modules by parameters, in the order of the list below, which it reads from this file.

import { addressOf, isOn, partsOf, withoutWww } from "../assign/page";
import { asciiLowercase } from "../assign/text";
import { applyCss } from "./changes/sheet";
import { signed, trusted } from "./changes/trust";
import { hide } from "./hide";
import { storeLocal, readLocal } from "./storage";
import { when } from "./trigger";
import {
  queryAll,
  doc,
  floor,
  startTimer,
  listen,
  clearTimer,
  now,
  parse,
  pageLocation,
  quietly,
  stringify,
  win,
} from "./world";

export const kit = [
  quietly,
  queryAll,
  doc,
  listen,
  win,
  pageLocation,
  startTimer,
  clearTimer,
  now,
  floor,
  hide,
  applyCss,
  asciiLowercase,
  withoutWww,
  isOn,
  partsOf,
  addressOf,
  signed,
  trusted,
  when,
  storeLocal,
  readLocal,
  parse,
  stringify,
] as const;
