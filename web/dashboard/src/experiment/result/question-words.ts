// Words for questions and segments. Separate from question.ts, because the routes need that module at once, but not the
// names of countries.

import { day } from "~/lib/format";
import { countryName } from "~/lib/locale-names";
import { COUNTRY, countriesIn, type Dimension, type Phase, type Question } from "./question";

export const DIMENSION: Record<Dimension, string> = {
  device: "Device",
  browser: "Browser",
  os: "System",
  country: "Country",
  user_type: "New or returning",
  landing_page: "Landing page",
  referrer: "Referring site",
  utm_source: "Source (utm_source)",
  utm_medium: "Medium (utm_medium)",
  utm_campaign: "Campaign (utm_campaign)",
};

export const PHASE: Record<Phase | "pre_deploy", string> = {
  pre_deploy: "Until a winner was served",
  post_deploy: "Since a winner has been served",
  all_time: "Before and after",
};

const FILTER: Record<string, string> = {
  mobile: "On phones",
  desktop: "On computers",
  tablet: "On tablets",
  new: "New",
  returning: "Returning",
  paid: "By paid links",
  search: "From search engines",
  direct: "Without a link",
};

/** A filter in words. */
export function filterWords(filter: string): string {
  return filter.startsWith(COUNTRY) ? countryName(filter.slice(COUNTRY.length)) : (FILTER[filter] ?? filter);
}

/** Filters of visitors in words, one entry per filter. */
export function narrowings(
  question: Pick<Question, "filter_by" | "epoch" | "start_date" | "end_date" | "report_phase">,
) {
  const { filter_by: filterBy = [], epoch, start_date: start, end_date: end, report_phase: phase } = question;
  const countries = countriesIn(filterBy).map(countryName);
  const parts = filterBy.filter((one) => !one.startsWith(COUNTRY)).map(filterWords);
  if (countries.length > 0) parts.push(`From ${countries.join(" or ")}`);
  if (epoch !== undefined) parts.push(`Epoch ${epoch}`);
  if (start !== undefined && end !== undefined) parts.push(`Entered ${day(start)} to ${day(end)}`);
  else if (start !== undefined) parts.push(`Entered from ${day(start)} on`);
  else if (end !== undefined) parts.push(`Entered until ${day(end)}`);
  if (phase !== undefined) parts.push(PHASE[phase]);
  return parts;
}

/** Words for the value of a segment in a breakdown. */
export function valueWords(dimension: string, value: string | null, isRest: boolean): string {
  if (isRest) return "All others";
  if (value === null || value === "") return "Not known";
  if (dimension === "country") return countryName(value);
  if (dimension === "user_type") return { new: "New visitors", returning: "Returning visitors" }[value] ?? value;
  if (dimension === "device") return { mobile: "Phones", desktop: "Computers", tablet: "Tablets" }[value] ?? value;
  return value;
}
