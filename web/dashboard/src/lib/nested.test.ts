import assert from "node:assert/strict";
import { test } from "node:test";
import { nested } from "./nested";

test("fields that are named by their place become objects", () => {
  const changes = {
    "plan.mde": 5,
    "configuration.start_test_date": null,
    "configuration.completion_visitor": 3,
    tags: ["a"],
  };
  assert.deepEqual(nested(changes), {
    plan: { mde: 5 },
    configuration: { start_test_date: null, completion_visitor: 3 },
    tags: ["a"],
  });
  assert.deepEqual(nested({}), {});
});
