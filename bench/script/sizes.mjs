// sizes.mjs [FILE]: prints the table of script sizes in docs/performance.md: the script as the server composes it from web/runtime, and
// GrowthBook's script tag in FILE. bench/script/run fetches that file.

import { readFileSync } from "node:fs";
import { constants, brotliCompressSync, gzipSync } from "node:zlib";
import { changing, PARTS, script } from "../../web/tests/script.mjs";

const WORDS = "buy now free delivery today only until stocks last try for thirty days without risk pay later".split(
  " ",
);
const words = (from, count) =>
  Array.from({ length: count }, (_, at) => WORDS[(from * 7 + at * 5) % WORDS.length]).join(" ");

/** Ten different experiments, each with a text, a style sheet and a page rule. */
const ten = Array.from({ length: 10 }, (_, at) =>
  changing([], {
    test_id: at + 1,
    experiment_key: words(at, 2).replace(" ", "-"),
    targeting: { url_rule: [{ url: `/${words(at, 1)}`, rule: "contain", allowed: true }] },
    ranges: [
      [500_000, 0],
      [1_000_000, 1],
    ],
    variants: [
      {
        data: [{ target: `.${words(at, 1)} > h2:nth-child(${at + 1})`, innerText: words(at, 6) }],
        customCSS: `.${words(at + 3, 1)} { padding: ${at + 2}px; color: #${(at * 1_118_481 + 7_890).toString(16).padStart(6, "0")} }`,
      },
    ],
  }),
);

const measured = {
  "**muriel**, no experiment": await script([], { parts: [] }),
  "**muriel**, ten experiments (parts `rules` and `changes`)": await script(ten, { parts: ["rules", "changes"] }),
  "**muriel**, ten experiments, every part": await script(ten, { parts: PARTS }),
  ...(process.argv[2] && { "GrowthBook's script tag, before it fetches experiments": readFileSync(process.argv[2]) }),
};
console.log("| | plain | gzip -9 | brotli 11 |\n|---|---|---|---|");
for (const [name, text] of Object.entries(measured)) {
  const plain = Buffer.from(text);
  const brotli = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  const sizes = [plain, gzipSync(plain, { level: 9 }), brotli].map(({ length }) => length.toLocaleString("en"));
  console.log(`| ${name} | ${sizes.join(" | ")} |`);
}
