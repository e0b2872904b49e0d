import { fileURLToPath } from "node:url";

/** @type {import("next").NextConfig} */
export default {
  output: "export",
  // The folder with the packages: the application is built in a folder below `build/`.
  turbopack: { root: fileURLToPath(new URL("../../", import.meta.url)) },
};
