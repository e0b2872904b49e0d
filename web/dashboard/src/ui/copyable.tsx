// Text to copy to another place: an address, a command, code for a page. A text that is shown only once is a `Secret`.

import { type ReactNode, useState } from "react";
import { names } from "~/lib/names";
import { copy } from "~/lib/page";
import { Button } from "./button";

interface CopyableProps {
  label: string;
  text: string;
  /** Text below: where to paste it, what it needs. */
  hint?: ReactNode;
  /** The label is for screen readers only. */
  hidesLabel?: boolean;
  /** True for texts that nobody reads completely: only a part is shown, and scrolls. */
  isLong?: boolean;
}

export function Copyable({ label, text, hint, hidesLabel = false, isLong = false }: CopyableProps) {
  const [outcome, setOutcome] = useState<"copied" | "refused">();
  return (
    <div className="flex flex-col gap-1">
      <span className={hidesLabel ? "sr-only" : "font-medium"}>{label}</span>
      <div className="flex items-start gap-2 max-xs:flex-col">
        <pre
          // Scrollable parts must be reachable by keyboard.
          tabIndex={isLong ? 0 : undefined}
          className={names(
            "min-w-0 flex-1 rounded-md border border-line bg-sunken px-2.5 py-1.5 font-mono text-sm break-all whitespace-pre-wrap select-all max-xs:w-full",
            isLong && "max-h-42 overflow-y-auto",
          )}
        >
          {text}
        </pre>
        <Button
          icon={outcome === "copied" ? "check" : "clipboard"}
          aria-label={outcome === "copied" ? `${label}: copied` : `Copy ${label}`}
          onClick={async () => setOutcome((await copy(text)) ? "copied" : "refused")}
        >
          {outcome === "copied" ? "Copied" : "Copy"}
        </Button>
      </div>
      {outcome === "refused" && (
        <p role="status" className="text-sm text-soft">
          The browser does not allow copying here. Select the text and copy it by hand.
        </p>
      )}
      {hint && <p className="text-sm text-soft">{hint}</p>}
    </div>
  );
}
