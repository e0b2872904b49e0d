import { changes } from "../browser/changes";

declare let PART: typeof changes;

PART = changes;
