import { watch } from "../browser/goals";

declare let PART: typeof watch;

PART = watch;
