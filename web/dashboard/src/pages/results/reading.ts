// The shape of a result, and what its parts are called. Nothing here knows of routes or a session: a shared result is read the same way.

import type { Schemas } from "~/api/query";

/** What was added, changed or chosen after the plan was locked. Absent where no plan was locked. */
export interface Labelled {
  exploratory?: boolean;
  exploratory_reason?: string | null;
}

/** The plan of an experiment as it was at its first start. */
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
  /** What the clock does not go by, and what it goes by in place of that. Shared results do not say it. */
  held_back?: string | null;
  confirmed?: { confirmed_at: string; reason: string } | null;
}

/** A result. `plan` and what is said of it are absent where the server locks no plans. */
export type Result = Schemas["ResultAnswer"] & Labelled & { plan?: LockedPlan | null; plan_note?: string | null };
export type Arm = Schemas["VariantResult"] & Labelled;
export type Metric = Schemas["MetricResult"] & Labelled;
export type MetricArm = Schemas["MetricVariant"];
export type Part = Schemas["Breakdown"] & Labelled;
export type PartArm = Schemas["PartResult"];
export type Analysis = Schemas["AnalysisResult"];
export type Check = Schemas["HealthCheck"];

/** What a result was asked for, and when, as its manifest has it. */
export interface Asked {
  /** The moment of the report. */
  asOf: string | undefined;
  /** Words of the filter. */
  filterBy: string[];
  epoch: number | undefined;
  /** `pre_deploy` unless somebody asked for visitors since a winner is served. */
  phase: string | undefined;
  /** Days that were asked for; undefined from the first, or to the last. */
  startDate: string | undefined;
  endDate: string | undefined;
  tz: string;
  /** Visitors that the comparisons are tuned for. */
  plannedVisitors: number | undefined;
  /** The smallest lift worth acting on, in percent. */
  mde: number | undefined;
  testType: string | undefined;
  /** When a winner was served. */
  deployedAt: string | undefined;
  /** When it ended; undefined while it is live. */
  endedAt: string | undefined;
  /** Days after entry in which the goal counts; undefined without an end. */
  windowDays: number | undefined;
}

/** Reads the manifest, whose shape the contract leaves open. */
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

/** Whether the result is of some of the visitors only, chosen by who asks. */
export function isPart({ filterBy, epoch, startDate, endDate, phase }: Asked): boolean {
  const isNarrow = filterBy.length > 0 || [epoch, startDate, endDate].some((one) => one !== undefined);
  return isNarrow || phase === "post_deploy";
}

/** Whether the result is of the visitors whom the plan is about: all of them until a winner is served. */
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

/** The name of the goal that the numbers at the top are of. */
export function goalName(result: Result): string | undefined {
  const { primary_goal: primary, goal_key: key, manifest } = result;
  if (key === null) return undefined;
  if (primary?.goal_key === key) return primary.goal_name;
  const metrics = Array.isArray(manifest.metrics) ? manifest.metrics.map(object) : [];
  return text(metrics.find((metric) => metric.key === key)?.name) ?? key;
}

/** Whether the goal at the top counts money. */
export function hasRevenue({ variants }: Result): boolean {
  return variants.some(({ rpv }) => rpv !== undefined);
}

/**
 * The unit of amounts by the primary goal, of all visitors, whatever goal is at the top. The most orders of some of the visitors may be in
 * another currency than those of all of them.
 */
export function primaryUnit(result: Result): string {
  const { primary_goal: primary, goal_key: key, currency } = result;
  const isShown = key === primary?.goal_key;
  const isMoney = isShown ? hasRevenue(result) : primary?.goal_type === "revenue";
  if (!isMoney) return "conversions";
  return (isShown && isPlanned(askedOf(result)) && currency) || "of value";
}

/** `Variant 1`, by its id, as the result has it. */
export function armOf({ variants }: Result, id: string): Arm | undefined {
  return variants.find((one) => one.variant_id === id);
}

/** Tells parts apart: a value that is not known from one that reads "null". */
export function partKey({ value, is_rest: isRest }: Part): string {
  return JSON.stringify([isRest, value]);
}
