// An arm by name, with what has to be known of it before its numbers are read.

import { Badge } from "~/ui/badge";
import { Exploratory } from "./exploratory";
import type { Arm } from "./reading";

/** The names alone, as other parts of a result have only the id. */
export function ArmNames({ name, nickname }: Pick<Arm, "name" | "nickname">) {
  return (
    <>
      <span className="font-medium">{name}</span>
      {nickname && nickname !== name && <span className="min-w-0 break-words text-soft">{nickname}</span>}
    </>
  );
}

export function ArmName({ arm, isServed }: { arm: Arm; isServed: boolean }) {
  return (
    <span className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
      <ArmNames name={arm.name} nickname={arm.nickname} />
      {isServed && <Badge tone="good">Served</Badge>}
      {arm.redefined_at !== null && <Badge tone="caution">Redefined</Badge>}
      <Exploratory of={arm} />
    </span>
  );
}
