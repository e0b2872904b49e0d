// What the script hands to its parts, so that none of them carries it again. In the parts, build.mjs puts it in the place of
// the modules that are named here; the order, which is what counts, it reads here.

import { bare, isPage, parameterOf, referrerOf } from "../assign/page";
import { folded } from "../assign/text";
import { applyCss } from "./changes/sheet";
import { signed, trusted } from "./changes/trust";
import { hide } from "./hide";
import { keep, kept } from "./storage";
import { when } from "./trigger";
import { all, doc, floor, later, listen, min, never, now, parse, place, quietly, stringify, win } from "./world";

export const kit = [
  quietly,
  all,
  doc,
  listen,
  win,
  place,
  later,
  never,
  now,
  floor,
  min,
  hide,
  applyCss,
  folded,
  bare,
  isPage,
  parameterOf,
  referrerOf,
  signed,
  trusted,
  when,
  keep,
  kept,
  parse,
  stringify,
] as const;
