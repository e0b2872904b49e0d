import { sourceOf } from "../assign/source";
import type { Parts } from "../browser/parts";

declare let PART: Parts["source"];

PART = sourceOf;
