// Short messages about completed actions, at the edge of the page. Errors are shown at their form or in their dialog.
// While the pointer or the focus is on a toast, it does not disappear by itself.

import { useEffect, useState, useSyncExternalStore } from "react";
import { names } from "~/lib/names";
import { IconButton } from "./button";
import { Icon } from "./icon";

interface ToastNews {
  id: number;
  text: string;
  tone: "good" | "caution" | "bad";
}

const TONES = { good: "text-good", caution: "text-caution", bad: "text-bad" };
const SHOWN_MS = 6_000;
const MOST = 3;

let news: readonly ToastNews[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function set(next: readonly ToastNews[]): void {
  news = next;
  for (const listener of listeners) listener();
}

/** Shows that an action was completed: "The key was revoked." */
export function toast(text: string, tone: ToastNews["tone"] = "good"): void {
  set([...news, { id: nextId++, text, tone }].slice(-MOST));
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Shows the toasts. Used once, in the shell. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => news);
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed right-0 bottom-0 z-60 flex w-full max-w-100 flex-col gap-2 p-4"
    >
      {shown.map((one) => (
        <ToastLine key={one.id} one={one} />
      ))}
    </div>
  );
}

function ToastLine({ one }: { one: ToastNews }) {
  const [isHeld, setHeld] = useState(false);
  const dismiss = () => set(news.filter(({ id }) => id !== one.id));
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => set(news.filter(({ id }) => id !== one.id)), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isHeld, one.id]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the handlers only keep it open while it is read
    <div
      className="floating pointer-events-auto flex items-start gap-2.5 py-2 pr-2 pl-3.5"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon name={one.tone === "good" ? "check" : "warning"} className={names("mt-1.25 size-4", TONES[one.tone])} />
      <p className="min-w-0 flex-1 py-0.75">{one.text}</p>
      <IconButton icon="close" label="Dismiss" small onClick={dismiss} />
    </div>
  );
}
