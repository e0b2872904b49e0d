import { isEligible } from "../assign/audience";
import { factsOf } from "../browser/facts";
import { memory } from "../browser/memory";

const rules = { isEligible, factsOf, memory };

declare let PART: typeof rules;

PART = rules;
