import { watchLayer } from "../browser/layer";
import type { Parts } from "../browser/parts";

declare let PART: Parts["orders"];

PART = watchLayer;
