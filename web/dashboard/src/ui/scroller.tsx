// A frame that scrolls sideways if its content is too wide for it.

import { type ReactNode, useLayoutEffect, useRef, useState } from "react";

/** While the content is too wide, the frame takes the focus, so that the arrow keys scroll it in every browser. */
export function Scroller({ label, children }: { label: string; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const [isWide, setWide] = useState(false);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const measure = () => setWide(element.scrollWidth > element.clientWidth);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={frame}
      className="xs:overflow-x-auto"
      {...(isWide && { role: "group", "aria-label": `${label}, scrollable`, tabIndex: 0 })}
    >
      {children}
    </div>
  );
}
