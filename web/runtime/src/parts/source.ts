import { sourceOf } from "../assign/source";

declare let PART: typeof sourceOf;

PART = sourceOf;
