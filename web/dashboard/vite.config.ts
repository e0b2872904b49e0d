import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// Chunks that several pages share. They are named here so that their names and contents are stable. The imports of a
// module come with it, so do not list a module that only one page needs.
const CHUNKS = [
  // Needed by every page, also by that of a shared result. It changes only when a library changes.
  { name: "react", test: /node_modules\/(react|react-dom|scheduler)\//, priority: 5 },
  // Needed by every page of the application.
  {
    name: "libraries",
    test: /node_modules\/(openapi-fetch|@tanstack\/(react-router|router-core|history|react-store|store|react-query|query-core))\//,
    priority: 4,
  },
  {
    name: "base",
    test: /src\/(api\/|ui\/(button|icon|layout|loaded)\.|lib\/(names|page|search)\.|experiment\/result\/question\.)/,
    priority: 3,
  },
  // Loads chunks. Named, because it would otherwise take the name of an entry.
  { name: "preload", test: /vite\/preload-helper/, priority: 6 },
  // Shows values. Needed by every page behind the sign-in and by that of a shared result, so it must not use Base UI.
  { name: "values", test: /src\/(ui\/(badge|table)|lib\/(format|words))\./, priority: 2 },
  // Needed by every page with a form, also by the sign-in, so it must not use Base UI.
  { name: "forms", test: /src\/ui\/(field|form\/(conflicts|form|fields))\./, priority: 2 },
  // Needed by every page behind the sign-in.
  {
    name: "frame",
    test: /src\/(ui\/(dialog|form\/guard|menu|secret|tabs|toast)|shell\/(nav|project))\./,
    priority: 1,
  },
];

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { alias: { "~": fileURLToPath(new URL("src", import.meta.url)) } },
  // Addresses of chunks are relative to the importing chunk: the server puts all of them below a path of the release.
  base: "./",
  build: {
    target: "es2022",
    outDir: "build/site",
    emptyOutDir: true,
    cssCodeSplit: false,
    // A preload is an element that the policy would have to allow. Chunks are imported instead.
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      // The application, and the page of a shared result, which needs no sign-in.
      input: { app: "index.html", share: "share.html" },
      output: {
        // Names without hashes: an unchanged chunk stays the same file in the repository.
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
