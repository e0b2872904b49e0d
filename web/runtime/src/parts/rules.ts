import { isEligible } from "../assign/audience";

declare let PART: typeof isEligible;

PART = isEligible;
