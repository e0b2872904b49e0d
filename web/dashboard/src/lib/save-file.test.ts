import assert from "node:assert/strict";
import { test } from "node:test";
import { fileName } from "./save-file";

test("files are named by what they are of, without what file systems and shells take for theirs", () => {
  assert.equal(
    fileName(["Lift of each variant", "Checkout, shorter"], "svg"),
    "lift-of-each-variant-checkout-shorter.svg",
  );
  assert.equal(fileName(["Größe & Farbe", "試験"], "png"), "größe-farbe-試験.png");
  assert.equal(fileName(['../../<b>"x"\0\u202egpj'], "csv"), "b-x-gpj.csv");
  assert.equal(fileName(["…"], "svg"), "picture.svg");
  assert.equal(fileName(["a".repeat(200)], "svg").length, 84);
  const long = "Checkout ".repeat(20);
  assert.match(fileName([long, "4711", "result"], "json"), /^(checkout-){7}check-4711-result\.json$/);
  assert.match(fileName([long, "Lift by day"], "svg"), /^(checkout-){7}check-lift-by-day\.svg$/);
  assert.equal(fileName(["", "Lift by day"], "svg"), "lift-by-day.svg");
  assert.equal(fileName(["Name", "b".repeat(200)], "svg"), `${"b".repeat(80)}.svg`);
});
