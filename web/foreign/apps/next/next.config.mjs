import { fileURLToPath } from "node:url";

/** @type {import("next").NextConfig} */
export default {
  output: "export",
  // Beside the packages: this is built in a folder below `build/`.
  turbopack: { root: fileURLToPath(new URL("../../", import.meta.url)) },
};
