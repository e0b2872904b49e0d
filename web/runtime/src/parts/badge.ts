// The badge of previews. It is loaded in previews only.

import { type PreviewInput, preview } from "../browser/preview";

// The script leaves the input on the script element.
void preview((document.currentScript as unknown as { preview: PreviewInput }).preview);
