// Strict policies of pages.

import assert from "node:assert/strict";
import { settled } from "./harness.mjs";

const body = `<h1 id="t">Old</h1><p id="p">Some <b>words</b></p><i>gone</i>`;
const strict = { "content-security-policy": "default-src 'self'; script-src 'nonce-abc'; style-src 'nonce-abc'" };
const types = (names) => ({
  "content-security-policy": `script-src 'self' 'nonce-abc'; require-trusted-types-for 'script'; trusted-types ${names}`,
});

const items = [
  { target: "#t", innerText: "New", style: "color: rgb(1, 2, 3)", class: "x" },
  { target: "#p", innerHTML: "<u>New</u>" },
  { rm: "i" },
  { refEl: "#t", dir: "a", htmlBlock: "<em>block</em>" },
  { target: "em", outerHTML: "<s>other</s>" },
];
const read = () => [
  document.querySelector("#t").textContent,
  getComputedStyle(document.querySelector("#t")).color,
  document.querySelector("#p").firstChild.nodeName,
  document.querySelector("i").checkVisibility(),
  document.querySelector("em")?.checkVisibility(),
  document.querySelector("s")?.textContent,
];
const all = ["New", "rgb(1, 2, 3)", "U", false, false, "other"];
const run = () => {
  window.failed = [];
  M.setNonce("abc");
  M.runCode("window.ran = experiment.n", "a", { n: 7 }, (m) => failed.push(m));
  return [window.ran, failed];
};

export default [
  [
    "a strict policy allows all changes, sheets and code with our nonce",
    async (page, server) => {
      await page.goto(server.url(body, { headers: strict, nonce: "abc", head: `M.change(${JSON.stringify(items)})` }));
      await settled(page);
      assert.deepEqual(await page.evaluate(read), all);
      assert.deepEqual(await page.evaluate(run), [7, []]);
      const sheets = () => {
        M.applyCss("#t{color:red}h1{margin:3px}");
        CSSStyleSheet = undefined;
        M.applyCss("h1{padding:5px}");
        const { marginTop, paddingTop } = getComputedStyle(document.querySelector("#t"));
        return [marginTop, paddingTop, said];
      };
      assert.deepEqual(await page.evaluate(sheets), ["3px", "5px", []]);
    },
  ],
  [
    "code without a nonce is blocked, and that is told",
    async (page, server) => {
      await page.goto(server.url(body, { headers: strict, nonce: "abc" }));
      const failed = await page.evaluate(() => {
        const failed = [];
        M.runCode("window.ran = 1", "a", {}, (m) => failed.push(m));
        return [failed, window.ran];
      });
      assert.deepEqual(failed, [["blocked"], undefined]);
    },
  ],
  [
    "Trusted Types: through the policy muriel",
    async (page, server) => {
      await page.goto(server.url(body, { headers: types("muriel"), nonce: "abc", head: `M.change(${JSON.stringify(items)})` }));
      await settled(page);
      assert.deepEqual(await page.evaluate(read), all);
      assert.deepEqual(await page.evaluate(run), [7, []]);
      assert.deepEqual(await page.evaluate(() => said), []);
    },
  ],
  [
    "Trusted Types without the name: html and code are skipped and told, the rest is done",
    async (page, server) => {
      await page.goto(server.url(body, { headers: types("other"), nonce: "abc", head: `M.change(${JSON.stringify(items)})` }));
      await settled(page);
      assert.deepEqual(await page.evaluate(read), ["New", "rgb(1, 2, 3)", "#text", false, undefined, undefined]);
      const [ran, failed] = await page.evaluate(run);
      assert.equal(ran, undefined);
      assert.equal(failed.length, 1);
      assert.deepEqual(await page.evaluate(() => said), ["change:#p", "change:#t"]);
    },
  ],
  [
    "Trusted Types: pages without html need not allow the name",
    async (page, server) => {
      await page.goto(server.url(body, { headers: types("'none'"), nonce: "abc" }));
      await page.evaluate(() => {
        window.violations = [];
        document.addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective));
        M.change([{ target: "#t", innerText: "New", href: "/x", style: "color: red" }, { rm: "i" }, { oriEl: "#p", refEl: "#t", dir: "b" }]);
      });
      await settled(page);
      assert.deepEqual(await page.evaluate(() => [violations, said, document.querySelector("#t").textContent]), [[], [], "New"]);
    },
  ],
];
