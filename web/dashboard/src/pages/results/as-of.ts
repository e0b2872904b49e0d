// Parts of a result that separate operations read.

import { useEffect, useRef } from "react";

/**
 * Reads a part again when there is a new result of the same question, so that all parts of the page are of the same
 * time.
 */
export function useReadAgain({ refetch }: { refetch: () => unknown }, asOf: string | null | undefined): void {
  const read = useRef(asOf);
  useEffect(() => {
    if (read.current === asOf) return;
    read.current = asOf;
    refetch();
  }, [asOf, refetch]);
}
