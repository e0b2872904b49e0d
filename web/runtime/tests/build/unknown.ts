// A part that imports a name from a module of the kit that is not in the kit.

import { setNonce } from "../../src/browser/changes/trust";

declare let PART: () => void;

PART = () => setNonce("");
