// The ruleset of a project, as docs/assignment.md describes it. The server delivers valid rulesets only.

export type Scalar = string | number | boolean;

export interface Condition {
  criteria: string;
  operator: string;
  value?: Scalar | null;
}

export interface EventCondition {
  key: string;
  operand: string;
  value?: Scalar | null;
}

export interface PageRule {
  url: string;
  rule: "simple" | "exact" | "contain" | "wildcard" | "regex";
  allowed: boolean;
}

export interface PlaceRule {
  name: string;
  rule: "equal" | "notEqual";
}

export interface CountryRule {
  name: string;
  code: string;
  rule: "whitelist" | "blacklist";
}

export interface EventRule {
  rule: "equal" | "notEqual";
  name: string;
  attributes: EventCondition[][];
  min_count: number;
  timeframe_days: number;
}

export interface ScheduleGroup {
  days: string[];
  time_ranges: { start: string; end: string }[];
}

export interface Targeting {
  url_rule?: PageRule[];
  referral_rule?: Condition[][];
  allowed_country?: CountryRule[];
  allowed_region?: PlaceRule[];
  allowed_city?: PlaceRule[];
  device_rule?: string[];
  browser_rule?: string[];
  os_rule?: string[];
  user_rule?: string | string[];
  browser_language_rule?: string[];
  segment_rule?: Condition[][];
  event_rule?: EventRule[];
  parameter_rule?: Condition[][];
  ga4_rule?: string[];
  cookie_rule?: Condition[][];
  schedule_rule?: { schedule_groups: ScheduleGroup[] } | null;
}

/** One visual change; its keys determine its kind. */
export interface Change {
  target?: string;
  innerText?: string;
  textContent?: string;
  innerHTML?: string;
  outerHTML?: string;
  src?: string;
  href?: string;
  style?: string | Record<string, Scalar>;
  class?: string;
  /** `value`, `placeholder`, `alt`, `title`, `aria-*` and `data-*`. */
  attributes?: Record<string, string>;
  rm?: string;
  refEl?: string;
  oriEl?: string;
  dir?: "b" | "a" | "p";
  htmlBlock?: string;
  url?: string;
  relay_param?: boolean;
  pageUrl?: string;
  sitewide?: boolean;
  /** True when the change was stored with the scope `code`. Only the server sets this; requests cannot. */
  code?: boolean;
}

export interface ArmCode {
  customJS?: string;
  customCSS?: string;
}

export interface Variant extends ArmCode {
  data?: Change[];
  targeting?: Targeting | null;
}

/** A group range, in hundredths of a percent of the group's buckets; `to` is exclusive. */
export interface GroupStretch {
  salt: string;
  from: number;
  to: number;
}

/** A tool on the page that is notified of the arm to which a visitor was exposed. */
export interface Tool {
  name: string;
  settings?: Record<string, string | number>;
}

export interface Experiment {
  test_id: number;
  experiment_key: string;
  test_type: "abtest" | "split" | "personalization";
  live: boolean;
  epoch: number;
  salt: string;
  traffic_allocation: number;
  /** Bucket ranges in order: the exclusive end in hundredths of a percent, and the index of the arm (0 is the control). */
  ranges: [number, number][];
  serving?: { variant_id: string; traffic_allocation: number } | null;
  exclusion?: GroupStretch | null;
  holdouts?: GroupStretch[];
  targeting?: Targeting;
  variants_data_key: string;
  dom_change_path?: string | null;
  trigger_variant_change?: string | null;
  custom_js?: string;
  custom_css?: string;
  control?: ArmCode;
  variants: Variant[];
  /** The tools, and the experiment's name, which is only for them. */
  tools?: Tool[];
  name?: string;
}

export interface Goal {
  goal_key: string;
  goal_type: string;
  goal_value: string | number;
}

export interface Ruleset {
  format: number;
  hash: number;
  project_key: string;
  experiments: Experiment[];
  goals?: Goal[];
}
