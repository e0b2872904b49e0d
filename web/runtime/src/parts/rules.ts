import { isEligible } from "../assign/audience";
import { factsOf } from "../browser/facts";

const rules = { isEligible, factsOf };

declare let PART: typeof rules;

PART = rules;
