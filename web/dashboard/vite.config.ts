import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// Chunks that several pages share, named here so that their names and contents are stable. What they import comes with them, so a module
// that only one page needs must not be listed.
const CHUNKS = [
  // What every page needs, that of a shared result too. It changes only when a library does.
  { name: "react", test: /node_modules\/(react|react-dom|scheduler)\//, priority: 5 },
  // What every address of the application needs besides.
  {
    name: "libraries",
    test: /node_modules\/(openapi-fetch|@tanstack\/(react-router|router-core|history|react-store|store|react-query|query-core))\//,
    priority: 4,
  },
  {
    name: "base",
    test: /src\/(api\/|ui\/(button|icon|layout|loaded)\.|lib\/(names|page|search|settled)\.|pages\/results\/question\.)/,
    priority: 3,
  },
  // What shows values: every page behind the sign-in, and that of a shared result, so without Base UI.
  // How chunks are loaded. Named, as it would take the name of an entry.
  { name: "preload", test: /vite\/preload-helper/, priority: 6 },
  { name: "values", test: /src\/(ui\/(badge|table)|lib\/(format|words))\./, priority: 2 },
  // Every page with a form, the sign-in too: so without Base UI.
  { name: "forms", test: /src\/(ui\/field|lib\/(conflicts|form|fields))\./, priority: 2 },
  // Every page behind the sign-in.
  {
    name: "frame",
    test: /src\/(ui\/(dialog|menu|secret|tabs|toast)|lib\/guard|shell\/(nav|project))\./,
    priority: 1,
  },
];

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { alias: { "~": fileURLToPath(new URL("src", import.meta.url)) } },
  // Addresses of chunks are relative to the chunk that asks: the server puts all of them below a path of the release.
  base: "./",
  build: {
    target: "es2022",
    outDir: "build/site",
    emptyOutDir: true,
    cssCodeSplit: false,
    // A preload would be an element that the policy has to allow; chunks are imported instead.
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      // The application, and the page of a shared result, which nobody has to be signed in for.
      input: { app: "index.html", share: "share.html" },
      output: {
        // Names without hashes: a chunk whose content did not change stays the same file in the repository.
        entryFileNames: "[name].js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
        codeSplitting: { groups: CHUNKS },
      },
    },
  },
  server: {
    port: 5173,
    strictPort: true,
    proxy: { "/v2": process.env.MURIEL_URL ?? "http://127.0.0.1:8787" },
  },
});
