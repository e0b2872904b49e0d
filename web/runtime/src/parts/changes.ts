import { applyChanges } from "../browser/changes/mutate";

declare let PART: typeof applyChanges;

PART = applyChanges;
