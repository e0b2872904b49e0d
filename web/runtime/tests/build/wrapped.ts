// A part with an import on several lines, as formatters write long ones.

import {
  doc,
  quietly,
  type listen,
} from "../../src/browser/world";
import { trusted } from "../../src/browser/changes/trust";

declare let PART: (listener?: typeof listen) => string | undefined;

PART = () => quietly(() => trusted("createHTML", doc.title));
