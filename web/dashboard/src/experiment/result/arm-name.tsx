// Name of a variant, with labels that readers need before its numbers.

import { Badge } from "~/ui/badge";
import { Exploratory } from "./exploratory";
import type { Arm } from "./reading";

/** The names only, for parts of a result that have only the id. */
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
