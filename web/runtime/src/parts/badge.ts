// Loaded only where a preview link was opened.

import { type Preview, preview } from "../browser/preview";

// On the element stands what the script hands over.
void preview((document.currentScript as unknown as { preview: Preview }).preview);
