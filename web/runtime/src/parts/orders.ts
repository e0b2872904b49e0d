import { watchLayer } from "../browser/layer";
import { readOrder } from "../browser/order";
import type { Parts } from "../browser/parts";

const orders = { _read: readOrder, _watch: watchLayer };

declare let PART: Parts["orders"];

PART = orders;
