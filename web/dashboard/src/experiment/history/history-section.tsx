// History of a goal or a hypothesis, on its page. It is read when the user opens it, or when the address names a
// revision.

import { type ComponentProps, useState } from "react";
import { Button } from "~/ui/button";
import { Revisions } from "./revisions";

export function HistorySection(props: ComponentProps<typeof Revisions>) {
  const [isAsked, setAsked] = useState(false);
  const isOpen = isAsked || props.chosen !== undefined;
  return (
    <section aria-labelledby="history" className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-3">
        <h2 id="history" className="text-lg font-semibold">
          History
        </h2>
        {!isOpen && (
          <Button icon="receipt" onClick={() => setAsked(true)}>
            Show history
          </Button>
        )}
      </div>
      {isOpen && <Revisions {...props} />}
    </section>
  );
}
