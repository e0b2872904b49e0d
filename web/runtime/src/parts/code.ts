import { runCode } from "../browser/changes/code";

declare let PART: typeof runCode;

PART = runCode;
