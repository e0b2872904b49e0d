import { isEligible } from "../assign/audience";
import { factsOf } from "../browser/facts";
import { memory } from "../browser/memory";
import type { Parts } from "../browser/parts";

const rules = { _isEligible: isEligible, _factsOf: factsOf, memory };

declare let PART: Parts["rules"];

PART = rules;
