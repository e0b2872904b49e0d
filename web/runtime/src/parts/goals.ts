import { watch } from "../browser/goals";
import type { Parts } from "../browser/parts";

declare let PART: Parts["goals"];

PART = watch;
