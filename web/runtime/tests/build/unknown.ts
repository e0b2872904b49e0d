// A part that wants of a module of the kit what is not in the kit.

import { setNonce } from "../../src/browser/changes/trust";

declare let PART: () => void;

PART = () => setNonce("");
