// Numbers with a picture of their interval, in cells of tables.

import type { ReactNode } from "react";
import { IntervalLines } from "~/ui/interval-line";
import { drawn } from "./numbers";

interface PicturedProps {
  value: string;
  /** Interval, shown below the value. */
  range: string | undefined;
  picture: ReactNode;
}

/**
 * A number with its picture below. In wide windows the picture is before the number, so that the numbers are aligned at
 * the end.
 */
export function Pictured({ value, range, picture }: PicturedProps) {
  return (
    <span className="inline-flex flex-col gap-1 xs:items-end xl:flex-row-reverse xl:items-center xl:gap-x-4">
      <span className="xl:min-w-34">
        <span className="font-semibold">{value}</span>
        <span className="block text-sm whitespace-nowrap text-soft">{range}</span>
      </span>
      <span className="xs:max-xl:w-32">{picture}</span>
    </span>
  );
}

const WHOLE = { from: 0, to: 100 };

/** A rate between 0 and 100 %. */
export function RatePicture({ rate, interval }: { rate: number; interval: number[] | null }) {
  return <IntervalLines rows={[drawn(rate, interval, "accent")]} domain={WHOLE} marks={[0, 100]} />;
}
