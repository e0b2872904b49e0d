import assert from "node:assert/strict";
import { test } from "node:test";
import type { Experiment } from "../open";
import { ending } from "./what-happens";

test("rules that do nothing are not said to end an experiment", () => {
  const of = (more: Partial<Experiment>) =>
    ending({
      status: 1,
      is_completed: 0,
      is_deploy: 0,
      configuration: { completion_visitor: 1_000 },
      ...more,
    } as Experiment);
  assert.deepEqual(of({}), ["It stops after 1,000 visitors."]);
  assert.deepEqual(of({ configuration: {} as Experiment["configuration"] }), ["It runs until somebody stops it."]);
  assert.deepEqual(of({ is_completed: 1 }), []);
  assert.deepEqual(of({ is_deploy: 1 }), []);
});
