import { split } from "../browser/split";
import type { Parts } from "../browser/parts";

declare let PART: Parts["split"];

PART = split;
