import type { Parts } from "../browser/parts";
import { watchArms } from "../browser/telling";

declare let PART: Parts["tools"];

PART = watchArms;
