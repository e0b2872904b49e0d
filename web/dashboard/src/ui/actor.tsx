// The author of an action: a person, a program or agent with an API key, or the server itself.

import { Badge } from "./badge";

interface ActorProps {
  actor: { kind: "person" | "key" | "system"; id: string; name: string };
}

const SYSTEM: Record<string, string> = {
  clock: "The clock",
  "command line": "The command line",
  demo: "The demo",
  "first start": "The first start",
};

export function Actor({ actor }: ActorProps) {
  if (actor.kind === "system") return <span className="font-medium">{SYSTEM[actor.id] ?? actor.name}</span>;
  return (
    <>
      <span className="font-medium break-words">{actor.name || actor.id}</span>
      {actor.kind === "key" && (
        <>
          {" "}
          <Badge>API key</Badge>
        </>
      )}
    </>
  );
}
