// A short explanation on hover and focus. Never the only place of necessary information.

import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";

export function Tooltip({ text, children }: { text: ReactNode; children: ReactElement }) {
  return (
    <Base.Root>
      <Base.Trigger render={children} delay={300} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className="z-60" collisionPadding={8}>
          <Base.Popup className="floating max-w-70 rounded-md px-2.5 py-1.5 text-sm">{text}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
