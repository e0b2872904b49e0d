// All visitors of a group as a picture: the slots of its experiments, or the share that a holdout keeps out. The same
// numbers are next to it as text.

import { type Share, ShareBar } from "~/ui/share-bar";
import type { Group } from "~/experiment/exclusion-groups";

/** Buckets per percent. */
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

/** Slots at their positions, and the free ranges between them. */
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
