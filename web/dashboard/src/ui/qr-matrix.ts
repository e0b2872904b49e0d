// The dark modules of a QR code. It is a separate chunk, because few pages show one.

import { encode } from "uqr";

export interface QrMatrix {
  /** Modules on each side, including the quiet zone. */
  size: number;
  /** The dark modules as an SVG path, one unit each. */
  path: string;
}

/** QR code readers need four light modules on each side. */
const QUIET_ZONE = 4;

/** The QR code of a text, with medium error correction; undefined for a text that is too long for one. */
export function qrMatrix(text: string): QrMatrix | undefined {
  try {
    const { size, data } = encode(text, { ecc: "M", border: QUIET_ZONE });
    return { size, path: data.map(row).join("") };
  } catch {
    return undefined;
  }
}

/** Joins adjacent modules to one rectangle, so that no seams are visible between them. */
function row(modules: boolean[], y: number): string {
  let path = "";
  for (let x = 0; x < modules.length; x += 1) {
    const begin = x;
    while (modules[x]) x += 1;
    if (x > begin) path += `M${begin} ${y}h${x - begin}v1h${begin - x}z`;
  }
  return path;
}
