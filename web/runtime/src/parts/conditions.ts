import { conditions } from "../assign/conditions";

declare let PART: typeof conditions;

PART = conditions;
