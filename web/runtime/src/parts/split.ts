import { split } from "../browser/split";

declare let PART: typeof split;

PART = split;
