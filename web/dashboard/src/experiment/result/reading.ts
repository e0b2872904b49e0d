// Types of a result, and the names of its parts. This module does not depend on routes or a session, because shared
// results use it, too.

import type { Schemas } from "~/api/query";

/** Label of parts that were added, changed or chosen after the plan was locked. Absent if no plan was locked. */
export interface Labelled {
  exploratory?: boolean;
  exploratory_reason?: string | null;
}

/** Plan of an experiment at its first start. */
export interface LockedPlan {
  locked_at: string;
  hash: string;
  hypothesis: { observation: string | null; problem: string | null; solution: string | null } | null;
  primary_goal: { goal_name: string } | null;
  secondary_goals: { goal_key: string; goal_name: string }[];
  guardrails: string[];
  mde: number;
  confidence_threshold_percent: number;
  planned_visitors: number | null;
  planned_from: string | null;
  changed_since: string[];
  /** Changes that the clock does not follow, and the values that it uses instead. Absent in shared results. */
  held_back?: string | null;
  confirmed?: { confirmed_at: string; reason: string } | null;
}

/** A result. `plan` and its labels are absent if the server does not lock plans. */
export type Result = Schemas["ResultAnswer"] & Labelled & { plan?: LockedPlan | null; plan_note?: string | null };
export type Arm = Schemas["VariantResult"] & Labelled;
export type Metric = Schemas["MetricResult"] & Labelled;
export type MetricArm = Schemas["MetricVariant"];
export type Part = Schemas["Breakdown"] & Labelled;
export type PartArm = Schemas["PartResult"];
export type Analysis = Schemas["AnalysisResult"];
export type Check = Schemas["HealthCheck"];

/** Question and times of a result, from its manifest. */
export interface Asked {
  /** Time of the report. */
  asOf: string | undefined;
  /** Words of the filter. */
  filterBy: string[];
  epoch: number | undefined;
  /** `pre_deploy` unless visitors since a winner was served were requested. */
  phase: string | undefined;
  /** First and last requested day; undefined without a limit. */
  startDate: string | undefined;
  endDate: string | undefined;
  tz: string;
  /** Number of visitors for which the comparisons are tuned. */
  plannedVisitors: number | undefined;
  /** Smallest relevant lift, in percent. */
  mde: number | undefined;
  testType: string | undefined;
  /** Time since which a winner is served. */
  deployedAt: string | undefined;
  /** End of the experiment; undefined while it is live. */
  endedAt: string | undefined;
  /** Days after entry in which the goal counts; undefined without a limit. */
  windowDays: number | undefined;
}

/** Reads the manifest, whose shape the contract does not define. */
export function askedOf({ manifest, goal_key, report_phase: phase }: Result): Asked {
  const inquiry = object(manifest.inquiry);
  const facts = object(manifest.experiment);
  const metrics = Array.isArray(manifest.metrics) ? manifest.metrics.map(object) : [];
  const top = metrics.find((metric) => metric.key === goal_key);
  return {
    asOf: text(manifest.as_of),
    filterBy: Array.isArray(inquiry.filter_by) ? inquiry.filter_by.map(String) : [],
    epoch: number(inquiry.epoch),
    phase: text(phase),
    startDate: text(inquiry.start_date),
    endDate: text(inquiry.end_date),
    tz: text(inquiry.tz) ?? "UTC",
    plannedVisitors: number(facts.planned_visitors),
    mde: number(facts.mde_percent),
    testType: text(facts.test_type),
    deployedAt: text(facts.deployed_at),
    endedAt: text(facts.ended_at),
    windowDays: number(top?.window_days),
  };
}

/** Returns whether the reader has restricted the result to a part of the visitors. */
export function isPart({ filterBy, epoch, startDate, endDate, phase }: Asked): boolean {
  const isNarrow = filterBy.length > 0 || [epoch, startDate, endDate].some((one) => one !== undefined);
  return isNarrow || phase === "post_deploy";
}

/** Returns whether the result covers the planned visitors: all until a winner is served. */
export function isPlanned(asked: Asked): boolean {
  return !isPart(asked) && asked.phase !== "all_time";
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Name of the goal at the top. */
export function goalName(result: Result): string | undefined {
  const { primary_goal: primary, goal_key: key, manifest } = result;
  if (key === null) return undefined;
  if (primary?.goal_key === key) return primary.goal_name;
  const metrics = Array.isArray(manifest.metrics) ? manifest.metrics.map(object) : [];
  return text(metrics.find((metric) => metric.key === key)?.name) ?? key;
}

/** Returns whether the goal at the top counts money. */
export function hasRevenue({ variants }: Result): boolean {
  return variants.some(({ rpv }) => rpv !== undefined);
}

/**
 * Unit of amounts of the primary goal for all visitors, whatever goal is at the top. The most frequent currency of a
 * part of the visitors may not be that of all.
 */
export function primaryUnit(result: Result): string {
  const { primary_goal: primary, goal_key: key, currency } = result;
  const isShown = key === primary?.goal_key;
  const isMoney = isShown ? hasRevenue(result) : primary?.goal_type === "revenue";
  if (!isMoney) return "conversions";
  return (isShown && isPlanned(askedOf(result)) && currency) || "of value";
}

/** A variant of the result, by its id. */
export function armOf({ variants }: Result, id: string): Arm | undefined {
  return variants.find((one) => one.variant_id === id);
}

/** Key of a segment. It distinguishes an unknown value from the text "null". */
export function partKey({ value, is_rest: isRest }: Part): string {
  return JSON.stringify([isRest, value]);
}
