// A group's line of all visitors as a picture: the slots of its experiments, or whom a holdout keeps out. The numbers are beside it as text.

import { type Share, ShareBar } from "~/ui/share-bar";
import type { Group } from "./read";

/** Buckets in a percent of the line. */
const PERCENT = 10_000;

export function GroupLine({ group, nameOf }: { group: Group; nameOf: (testId: number) => string }) {
  return (
    <ShareBar hasScale shares={group.kind === "exclusion" ? slotsOf(group, nameOf) : heldOut(group.percent ?? 0)} />
  );
}

export function heldOut(percent: number): Share[] {
  return [
    { key: "out", name: "Held out", percent, kind: "first" },
    { key: "rest", name: "Everybody else", percent: 100 - percent, kind: "nobody" },
  ];
}

/** The slots in their places, and what is free between them. */
function slotsOf({ members }: Group, nameOf: (testId: number) => string): Share[] {
  const shares: Share[] = [];
  let end = 0;
  const free = (to: number) =>
    to > end && shares.push({ key: `free-${end}`, name: "Free", percent: (to - end) / PERCENT, kind: "nobody" });
  for (const { test_id, percent, from, to } of [...members].sort((one, other) => one.from - other.from)) {
    free(from);
    shares.push({ key: test_id, name: nameOf(test_id), percent, kind: "other" });
    end = to;
  }
  free(100 * PERCENT);
  return shares;
}
