// A number per day as bars: small in lists, larger with the days below. Screen readers get the numbers.

import { day as dayWords, integer } from "~/lib/format";
import { names } from "~/lib/names";

export interface Day {
  /** YYYY-MM-DD. */
  date: string;
  value: number;
}

interface DayBarsProps {
  /** Name of the count, such as "Matches by day". */
  label: string;
  /** In ascending order. The last day is not over. */
  days: readonly Day[];
  size?: "small" | "large";
}

const BAR = 6;
const GAP = 2;

export function DayBars({ label, days, size = "small" }: DayBarsProps) {
  const height = size === "small" ? 24 : 72;
  const most = Math.max(1, ...days.map(({ value }) => value));
  const width = days.length * (BAR + GAP) - GAP;
  const told = `${label}: ${days.map(({ date: day, value }) => `${dayWords(day, true)} ${integer(value)}`).join(", ")}`;
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={told}
      style={{ height }}
      className={size === "small" ? "w-28" : "w-full"}
    >
      {days.map(({ date: day, value }, at) => {
        // A value above 0 is always visible.
        const tall = value === 0 ? 1 : Math.max(3, (value / most) * height);
        return (
          <rect
            key={day}
            x={at * (BAR + GAP)}
            y={height - tall}
            width={BAR}
            height={tall}
            className={names(value === 0 ? "fill-line" : at === days.length - 1 ? "fill-soft" : "fill-accent")}
          />
        );
      })}
    </svg>
  );
}
