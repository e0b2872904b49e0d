import { isEligible } from "../assign/audience";
import { factsOf } from "../browser/facts";
import { locator } from "../browser/locate";
import { memory } from "../browser/memory";
import type { Parts } from "../browser/parts";

const rules = { _isEligible: isEligible, _factsOf: factsOf, memory, _locator: locator };

declare let PART: Parts["rules"];

PART = rules;
