import { watchLayer } from "../browser/layer";

declare let PART: typeof watchLayer;

PART = watchLayer;
