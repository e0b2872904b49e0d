// A text as a QR code, for the camera of a phone. It is dark on light in both themes, because some readers do not
// accept the reverse. Its text must also be next to it, as a link or as text.

import { useEffect, useState } from "react";
import { names } from "~/lib/names";
import { track } from "~/api/settled";
import type { QrMatrix } from "./qr-matrix";

interface QrProps {
  text: string;
  /** Explains the effect of reading it: "Opens Variant 1 on a phone". */
  label: string;
  className?: string;
}

export function QrCode({ text, label, className = "size-48" }: QrProps) {
  const [matrix, setMatrix] = useState<QrMatrix | "failed">();
  useEffect(() => {
    let isCurrent = true;
    track(import("./qr-matrix")).then(
      ({ qrMatrix }) => isCurrent && setMatrix(qrMatrix(text) ?? "failed"),
      () => isCurrent && setMatrix("failed"),
    );
    return () => {
      isCurrent = false;
    };
  }, [text]);
  if (matrix === "failed") return <p className="text-sm text-soft">The QR code cannot be shown.</p>;
  if (matrix === undefined) return <div className={names("skeleton", className)} aria-hidden="true" />;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${matrix.size} ${matrix.size}`}
      shapeRendering="crispEdges"
      className={names("shrink-0 rounded-md border border-line bg-qr-paper", className)}
    >
      <path d={matrix.path} className="fill-qr-ink" />
    </svg>
  );
}
