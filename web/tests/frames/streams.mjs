// Pages that arrive in chunks over the network: no frame shows the original.

import { equal, painted } from "./world.mjs";

const item = (at) => `<li>${at}</li>`;

/**
 * The chunks of a page, the changes, the selector whose text is watched, the texts that are allowed (the last one at the end), and the
 * page after undoing the changes.
 */
export const STREAMS = {
  "a text in two parts": {
    parts: ["<p>first</p>", "<h1>Orig", "inal title</h1>", "<p>end</p>"],
    items: [{ target: "h1", innerText: "New" }],
    watched: "h1",
    allowed: ["", "New"],
    original: "<h1>Original title</h1>",
  },
  "a text whose element comes first": {
    parts: ["<p>first</p>", "<h1>", "Original", " title</h1>", "<p>end</p>"],
    items: [{ target: "h1", innerText: "New" }],
    watched: "h1",
    allowed: ["", "New"],
    original: "<h1>Original title</h1>",
  },
  "content in many parts": {
    parts: ["<p>first</p>", "<div>Orig", "inal <b>wo", "rds</b> and ", "more<p>of ", "them</p></div>", "<p>end</p>"],
    items: [{ target: "div", textContent: "New" }],
    watched: "div",
    allowed: ["", "New"],
    original: "<div>Original <b>words</b> and more<p>of them</p></div>",
  },
  "html in many parts": {
    parts: ["<p>first</p>", "<div>Orig", "inal <b>wo", "rds</b> and ", "more</div>", "<p>end</p>"],
    items: [{ target: "div", innerHTML: "<i>New</i> tail" }],
    watched: "div",
    allowed: ["", "New tail"],
    original: "<div>Original <b>words</b> and more</div>",
  },
  "an element replaced": {
    parts: ["<p>first</p>", "<div>Orig", "inal <b>wo", "rds</b></div> text", " after", "<p>end</p>"],
    items: [{ target: "div", outerHTML: "<u>New</u> tail" }],
    watched: "div,u",
    allowed: ["", "New"],
    original: "<div>Original <b>words</b></div> text after",
  },
  "an element hidden": {
    parts: ["<p>first</p>", "<div>Orig", "inal</div>", "<p>end</p>"],
    items: [{ rm: "div" }],
    watched: "div",
    allowed: [""],
    original: "<div>Original</div>",
  },
  "more children than may be fought about": {
    parts: ["<ul>", ...Array.from({ length: 15 }, (_, at) => item(at)), "</ul>"],
    items: [{ refEl: "ul", dir: "p", htmlBlock: "<i>last</i>" }],
    watched: "ul>:last-child",
    allowed: ["", "last"],
    original: `<ul>${Array.from({ length: 15 }, (_, at) => item(at)).join("")}</ul>`,
  },
  "an element moved, what it moves to after it": {
    parts: ["<p>first</p>", "<main><b>x</b><i>y</i></main>", "<aside>", "z</aside>", "<p>end</p>"],
    items: [{ oriEl: "b", refEl: "aside", dir: "p" }],
    watched: "aside",
    allowed: ["", "x", "zx"],
    original: "<main><b>x</b><i>y</i></main><aside>z</aside>",
  },
};

/** Frames that are recorded before the next chunk is requested. */
const FRAMES_EACH = 2;

/** A script for the head of such a page: records what each frame shows, and requests the next chunk after a few frames. */
export const watching = ({ items, watched }, keep, next) => `
  applied = M.change(${JSON.stringify(items)}, ${keep});
  frames_ = [];
  (async function look() {
    // A frame paints what mutation observers leave, and those of the parser's last nodes may not have been called yet.
    await null;
    const seen = [...document.querySelectorAll(${JSON.stringify(watched)})].filter((each) => each.checkVisibility());
    frames_.push(seen.map((each) => each.innerText.trim()).join("|"));
    if (frames_.length % ${FRAMES_EACH} === 0 && document.readyState === "loading") fetch("${next}");
    requestAnimationFrame(look);
  })();`;

export const cases = {};
for (const [at, [name, { parts, allowed, original }]] of Object.entries(STREAMS).entries()) {
  for (const keep of [true, false]) {
    cases[`${name}, ${keep ? "kept" : "changed once"}`] = async ({ load }) => {
      const { win, M, html } = await load(`/stream/${at}/${keep}`);
      await painted(win);
      const seen = [...new Set(win.frames_)];
      equal(
        seen.filter((shown) => !allowed.includes(shown)),
        [],
        "shown",
      );
      equal(seen.at(-1), allowed.at(-1), "at last");
      equal(win.frames_.length >= FRAMES_EACH * (parts.length - 1), true, "looked often enough");
      equal([M.said, win.applied.missing()], [[], []], "said and missing");
      win.applied.undo();
      // The parser closes paragraphs by its rules, and elements that were styled may keep an empty attribute.
      const plain = (text) => text.replace(/<\/?p>| style=""/g, "");
      equal(plain(html()).includes(plain(original)), true, `undone: ${html()}`);
    };
  }
}
