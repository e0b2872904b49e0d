// Findings of the checklist before a start: what blocks it, else what to check.

import { names } from "~/lib/names";
import { Icon } from "~/ui/icon";
import { Note } from "~/ui/layout";
import { checkPlace, type Check, obstacles } from "./checks";
import { plainSentence } from "../plain-sentence";

export function ToLookAt({ items }: { items: Check[] }) {
  const blocked = obstacles(items);
  const open = items.filter(({ status }) => status === "warn" || status === "unknown");
  if (blocked.length > 0)
    return (
      <Note tone="bad">
        <p className="font-medium">The experiment cannot be started.</p>
        {blocked.map(({ check, sentence }) => (
          <p key={check} className="break-words">
            {checkPlace(check).name}: {plainSentence(sentence)}
          </p>
        ))}
      </Note>
    );
  if (open.length === 0) return <Note tone="good">Everything on the checklist is ready.</Note>;
  return (
    <section>
      <h3 className="mb-1.5 font-medium">Look at this first</h3>
      <ul className="flex flex-col gap-1.5">
        {open.map(({ check, status, sentence }) => (
          <li key={check} className="flex gap-2">
            <Icon
              name={status === "warn" ? "warning" : "info"}
              className={names("mt-0.75 size-4", status === "warn" ? "text-caution" : "text-soft")}
            />
            <span className="min-w-0 flex-1 break-words">
              <span className="font-medium">{checkPlace(check).name}:</span> {plainSentence(sentence)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
