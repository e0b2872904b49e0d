// A secret that is shown once: a link, a key, codes. It can be copied, with a note that it will not be shown again.

import { useState } from "react";
import { copy } from "~/lib/page";
import { Button } from "./button";

export function Secret({ label, text }: { label: string; text: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <div className="flex flex-col gap-1.5">
      <span className="font-medium">{label}</span>
      <div className="flex items-start gap-2">
        <output
          aria-label={label}
          className="min-w-0 flex-1 rounded-md border border-line bg-sunken px-2.5 py-1.5 font-mono text-sm break-all whitespace-pre-wrap select-all"
        >
          {text}
        </output>
        <Button icon={isCopied ? "check" : "clipboard"} onClick={async () => setCopied(await copy(text))}>
          {isCopied ? "Copied" : "Copy"}
        </Button>
      </div>
    </div>
  );
}
