// Cells that several tables of a result have in common.

import { averageMoney, count, integer, money, probability } from "~/lib/format";
import type { ReactNode } from "react";
import { UNDECIDED, VERDICT, type Word, wordOf } from "~/lib/words";
import { Badge, WordBadge } from "~/ui/badge";
import type { Column } from "~/ui/table";
import { intervalWords, percentChange, rateWords } from "./interval-words";
import type { Analysis, PartArm } from "./reading";

export function LiftShown({ of }: { of: Pick<Analysis, "lift" | "lift_interval"> | null | undefined }) {
  if (of == null || of.lift === null) return <span className="text-soft">not known yet</span>;
  return (
    <span className="num">
      {percentChange(of.lift)}
      <Below>{intervalWords(of.lift_interval) ?? "no bound yet"}</Below>
    </span>
  );
}

/** Word for a verdict. An experiment that is not running cannot "keep running". */
export function verdictWord(verdict: string, isLive: boolean): Word {
  return verdict === "keep_running" && !isLive ? UNDECIDED : wordOf(VERDICT, verdict);
}

type Counted = Pick<PartArm, "conversions" | "conversion_rate" | "rpv" | "aov" | "total_orders" | "total_revenue">;

export function RateShown({ of: { conversion_rate: rate, conversions } }: { of: Counted }) {
  return (
    <>
      {rateWords(rate)}
      <Below>{count(conversions, "conversion")}</Below>
    </>
  );
}

/** Columns for a goal that counts money. The rows of several goals may have different currencies. */
export function moneyColumns<R>(
  of: (row: R) => Counted,
  currencyOf: (row: R) => string | null | undefined,
): Column<R>[] {
  return [
    {
      name: "Per visitor",
      isNumber: true,
      cell: (row) => {
        const { rpv, total_revenue: revenue } = of(row);
        return (
          rpv !== undefined && (
            <>
              {averageMoney(rpv, currencyOf(row))}
              {revenue != null && <Below>{money(revenue, currencyOf(row))} in all</Below>}
            </>
          )
        );
      },
    },
    {
      name: "Per order",
      isNumber: true,
      cell: (row) => {
        const { aov, total_orders: orders } = of(row);
        return (
          orders != null && (
            <>
              {averageMoney(aov, currencyOf(row))}
              <Below>
                {integer(orders)} {orders === 1 ? "order" : "orders"}
              </Below>
            </>
          )
        );
      },
    },
  ];
}

/** A second number in a cell. */
export function Below({ children }: { children: ReactNode }) {
  return <span className="block text-sm text-soft">{children}</span>;
}

interface VerdictProps {
  of: Analysis | null | undefined;
  isLive: boolean;
  /** True when a guardrail is known to have got worse. */
  isHarmed?: boolean | null | undefined;
}

/** The verdict, and the p-value that it is based on, which is the corrected one. */
export function VerdictShown({ of, isLive, isHarmed }: VerdictProps) {
  if (of == null) return null;
  const { p_value: plain, p_value_adjusted: adjusted } = of;
  const isCorrected = adjusted !== null && plain !== null && probability(adjusted) !== probability(plain);
  return (
    <span className="flex flex-col items-start gap-0.5">
      <WordBadge word={verdictWord(of.verdict, isLive)} />
      {isHarmed === true && <Badge tone="bad">Got worse</Badge>}
      {plain !== null && (
        <span className="num text-sm text-soft">
          p {probability(adjusted ?? plain)}
          {isCorrected && <span className="block">{probability(plain)} uncorrected</span>}
        </span>
      )}
    </span>
  );
}
