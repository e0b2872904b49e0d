import assert from "node:assert/strict";
import { test } from "node:test";
import { nextAct } from "./next-act";

const standing = (more: object) =>
  ({
    status: 1,
    verdict: "keep_running",
    health: "ok",
    outcome: null,
    is_deploy: 0,
    is_completed: 0,
    visitors: 500,
    sentence: "Keep running: 4 days are left.",
    ...more,
  }) as Parameters<typeof nextAct>[0];

const WON = "Serve Variant 3: it beats the control by 4.1 %, from 1.2 % to 7.0 %.";
const HAD_WON = "Variant 3 beat the control by 4.1 %, from 1.2 % to 7.0 %: serve it, and conclude the experiment.";

test("the button does what the sentence says", () => {
  const cases: [object, string | undefined][] = [
    [{}, undefined],
    [{ verdict: "win", sentence: WON }, "serve: Serve Variant 3"],
    [{ verdict: "win", sentence: HAD_WON, status: 0 }, "serve: Serve Variant 3"],
    [{ verdict: "win", sentence: `As of 10:00 UTC on 1 Mar 2026: ${WON}` }, "serve: Serve Variant 3"],
    [{ verdict: "win", sentence: "A variant won." }, "serve: Serve the winner"],
    [{ verdict: "loss" }, "stop: Stop the experiment"],
    [{ verdict: "loss", status: 0 }, "conclude: Conclude"],
    [{ verdict: "no_difference" }, "stop: Stop the experiment"],
    [{ verdict: "keep_running", status: 0 }, "conclude: Conclude"],
    [{ verdict: "do_not_trust", health: "fail" }, "results: Find the cause"],
    [{ verdict: "win", health: "fail", sentence: WON }, "results: Find the cause"],
    [{ verdict: null, status: 0 }, undefined],
    // Served: it continues until somebody concludes it. Concluded: nothing is left to do.
    [{ verdict: "win", is_deploy: 1, sentence: "Variant 3 is served to 100 % of the visitors" }, "conclude: Conclude"],
    [{ verdict: "win", is_completed: 1, outcome: "won", sentence: WON }, undefined],
  ];
  for (const [more, expected] of cases) {
    const next = nextAct(standing(more), true);
    assert.equal(next && `${next.act}: ${next.name}`, expected, JSON.stringify(more));
  }
  assert.deepEqual(nextAct(standing({ verdict: "win", sentence: WON }), true), {
    act: "serve",
    name: "Serve Variant 3",
    arm: "3",
  });
  assert.equal(nextAct(standing({ status: 9, verdict: null }), false)?.name, "Go to Launch");
});
