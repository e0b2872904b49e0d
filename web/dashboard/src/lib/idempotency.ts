import { useRef } from "react";

/** Returns a function that gives the same key for all attempts to send the same text, so that it is done once. */
export function useIdempotencyKey(): (text: string) => string {
  const last = useRef<{ text: string; key: string }>(undefined);
  return (text) => {
    if (last.current?.text !== text) last.current = { text, key: crypto.randomUUID() };
    return last.current.key;
  };
}
