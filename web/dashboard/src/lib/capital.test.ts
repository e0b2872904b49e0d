import assert from "node:assert/strict";
import { test } from "node:test";
import { capital } from "./capital";

test("sentences begin with a capital letter, and names stay as they are", () => {
  const cases: [string, string][] = [
    ["on phones", "On phones"],
    ["e-mail", "E-mail"],
    ["utm_campaign is “x”", "utm_campaign is “x”"],
    ["iOS", "iOS"],
    ["macOS, Windows", "macOS, Windows"],
    ["plan2 is not set", "plan2 is not set"],
    ["and", "And"],
    ["", ""],
  ];
  for (const [text, expected] of cases) assert.equal(capital(text), expected);
});
