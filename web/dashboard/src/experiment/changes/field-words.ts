// Names of an experiment's fields and of their values, for lists of changes. Paths are those of the details:
// `configuration.is_mab`, `variants[0].customJS`.

import { decimal, moment, percentage } from "~/lib/format";
import { OUTCOME, STATUS, wordOf } from "~/lib/words";

const NAMES: Record<string, string> = {
  test_name: "Name",
  url: "Page",
  tags: "Tags",
  status: "Status",
  archived: "In the archive",
  conclusion: "Conclusion",
  serving: "Winner that is served",
  "serving.variant_id": "Winner that is served",
  "serving.traffic_allocation": "Visitors who get the winner",
  groups: "Groups",
  "groups.exclusion": "Exclusion group",
  "groups.exclusion.group_id": "Exclusion group",
  "groups.exclusion.from": "Slot begins at",
  "groups.exclusion.to": "Slot ends at",
  "groups.holdouts": "Holdouts",
  hypothesis_id: "Hypothesis",
  variants_data_key: "Page of the variants",
  custom_js: "JavaScript of all variants",
  custom_css: "CSS of all variants",
  primary_goal_key: "Primary goal",
  secondary_goal_keys: "Secondary goals",
  builtin_metrics: "Built-in metrics",
  event_metrics: "Events reported",
  "plan.mde": "Smallest lift worth acting on",
  "plan.visitors": "Planned visitors",
  "configuration.traffic_allocation": "Visitors who enter",
  "configuration.confidence_interval": "Confidence",
  "configuration.start_test_date": "Starts on",
  "configuration.end_test_date": "Ends on",
  "configuration.is_mab": "Bandit",
  "configuration.is_autopilot": "Autopilot",
  "configuration.distribution": "Split between variants",
  "configuration.bayesian": "Bayesian statistics",
  "configuration.dom_change_path": "How changes are applied",
  "configuration.trigger_variant_change": "Trigger",
  "configuration.completion_visitor": "Stops after visitors",
  "configuration.completion_conversion": "Stops after conversions",
  "configuration.completion_stats_significant_flag": "Stops when the verdict is reached",
  "configuration.completion_after_period": "Stops after days",
  "configuration.integration": "Integrations",
};

const OF_VARIANT: Record<string, string> = {
  name: "name",
  nickname: "label",
  customJS: "JavaScript",
  customCSS: "CSS",
  data: "visual changes",
};

const OF_TARGETING: Record<string, string> = {
  referral_rule: "where visitors come from",
  allowed_country: "countries",
  allowed_region: "regions",
  allowed_city: "cities",
  device_rule: "devices",
  browser_rule: "browsers",
  os_rule: "operating systems",
  user_rule: "new or returning",
  browser_language_rule: "languages",
  segment_rule: "attributes",
  event_rule: "what visitors did",
  parameter_rule: "query parameters",
  ga4_rule: "Analytics audiences",
  cookie_rule: "cookies",
  schedule_rule: "times",
  url_rule: "pages",
};

/**
 * Name of a field: `Control: JavaScript` for `control.customJS`. An unknown field is shown with its own name, in words.
 */
export function fieldName(path: string): string {
  const known = NAMES[path];
  if (known !== undefined) return known;
  const variant = /^variants\[(\d+)\](?:\.(.*))?$/.exec(path);
  if (variant) return within(`Variant ${Number(variant[1]) + 1}`, variant[2]);
  if (path.startsWith("control.")) return within("Control", path.slice("control.".length));
  if (path.startsWith("targeting.")) return within("Audience", path.slice("targeting.".length));
  const words = inWords(path.replace(/^configuration\./, ""));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns whether a text is the path of a field that has a name here. */
export function isFieldPath(path: string): boolean {
  if (Object.hasOwn(NAMES, path) || /^variants\[\d+\]$/.test(path)) return true;
  const [whole = "", part = ""] = path.split(/\.(.*)/s);
  if (whole === "control" || /^variants\[\d+\]$/.test(whole))
    return Object.hasOwn(OF_VARIANT, part) || part.startsWith("targeting.");
  return whole === "targeting" && Object.hasOwn(OF_TARGETING, part);
}

function within(whole: string, part: string | undefined): string {
  if (part === undefined) return whole;
  const [name = "", inner] = part.split(/\.(.*)/);
  if (name === "targeting" && inner) return `${whole}: ${OF_TARGETING[inner] ?? inWords(inner)}`;
  return `${whole}: ${OF_VARIANT[part] ?? OF_TARGETING[part] ?? inWords(part)}`;
}

function inWords(path: string): string {
  return path.replaceAll(/[._]+/g, " ");
}

const FLAGS = ["is_mab", "is_autopilot", "bayesian", "completion_stats_significant_flag"];
const PERCENT = ["traffic_allocation", "confidence_interval", "mde"];
const MOMENTS = ["start_test_date", "end_test_date"];
const STATUSES: Record<string, string> = { draft: STATUS[9].text, live: STATUS[1].text, inactive: STATUS[0].text };

/** A value in words; undefined if it has to be shown as lines, such as code. */
export function valueText(path: string, value: unknown): string | undefined {
  const field = path.split(".").at(-1) ?? path;
  if (value === null || value === undefined || value === "") return "nothing";
  if (Array.isArray(value) && value.length === 0) return "nothing";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (FLAGS.includes(field) && (value === 0 || value === 1)) return value === 1 ? "on" : "off";
  if (field.startsWith("completion_") && value === 0) return "never";
  if (path.startsWith("groups.")) return places(field, value);
  if (typeof value === "number") return PERCENT.includes(field) ? percentage(value) : decimal(value);
  if (typeof value === "string") return textOf(path, field, value);
  if (path === "conclusion") return conclusion(value as Record<string, unknown>);
  if (path === "serving") return serving(value as Record<string, unknown>);
  if (field === "distribution" && typeof value === "object") return shares(value as Record<string, unknown>);
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(", ");
  return undefined;
}

function textOf(path: string, field: string, value: string): string | undefined {
  if (MOMENTS.includes(field)) return moment(value);
  if (path === "status") return STATUSES[value] ?? value;
  if (path === "conclusion.outcome") return outcomeName(value);
  if (path === "serving.variant_id") return armName(value);
  if (field === "distribution" && value === "equal") return "evenly";
  return isCode(field) || value.includes("\n") ? undefined : value;
}

function outcomeName(word: string): string {
  return wordOf(OUTCOME, word).text;
}

function armName(id: string): string {
  return id === "0" ? "Control" : `Variant ${id}`;
}

function conclusion({ outcome, note }: Record<string, unknown>): string {
  return [outcomeName(String(outcome)), note].filter(Boolean).join(": ");
}

function serving({ variant_id, traffic_allocation }: Record<string, unknown>): string {
  const share = typeof traffic_allocation === "number" ? `, to ${percentage(traffic_allocation)} of visitors` : "";
  return `${armName(String(variant_id))}${share}`;
}

/** Share or range of a group, which the API gives in hundredths of a percent. */
function places(field: string, value: unknown): string {
  const share = (hundredths: unknown) => percentage(Number(hundredths) / 100);
  if (field === "from" || field === "to") return share(value);
  if (typeof value !== "object" || value === null) return String(value);
  const slots = (Array.isArray(value) ? value : [value]) as { group_id: unknown; from: unknown; to: unknown }[];
  return slots.map(({ group_id, from, to }) => `group ${group_id}: ${share(from)} to ${share(to)}`).join(", ");
}

function isCode(field: string): boolean {
  return ["customJS", "customCSS", "custom_js", "custom_css"].includes(field);
}

function shares(weights: Record<string, unknown>): string {
  return Object.entries(weights)
    .map(([arm, share]) => `${arm} ${typeof share === "number" ? percentage(share) : String(share)}`)
    .join(", ");
}

/** A value as lines that can be compared: one line per item of a list or member of an object. */
export function valueLines(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(inOneLine).join("\n");
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name}: ${inOneLine(inner)}`)
    .join("\n");
}

function inOneLine(value: unknown): string {
  if (typeof value === "string") return value;
  const isFlat = (one: unknown) => typeof one !== "object" || one === null;
  if (typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(isFlat))
    return Object.entries(value)
      .map(([name, inner]) => `${name}: ${String(inner)}`)
      .join(", ");
  return JSON.stringify(value);
}
