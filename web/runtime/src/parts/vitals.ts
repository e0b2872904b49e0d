import type { Parts } from "../browser/parts";
import { vitals } from "../browser/vitals";

declare let PART: Parts["vitals"];

PART = vitals;
