import { changes } from "../browser/changes";
import type { Parts } from "../browser/parts";

declare let PART: Parts["changes"];

PART = changes;
