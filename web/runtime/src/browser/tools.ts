// The tools on the page, and how each is notified of an exposure in the way that the tool documents:
// docs/integrations.md.

import type { Tool } from "../ruleset";
import { win } from "./world";

/** The values that tools get. Ids are text, as tools want one type for a property. */
export interface ArmValues {
  experiment_id: string;
  experiment_name: string;
  variant_id: string;
  variant_name: string;
}

/** An arm of which a tool is notified, with the experiment's name in code. */
export interface ToldArm {
  _key: string;
  _values: ArmValues;
}

type Owner = Record<string, unknown>;
type Settings = NonNullable<Tool["settings"]>;

/** Notifies the tool. */
export type Telling = () => unknown;

/** A function that calls a method; undefined if the object has no method of this name. */
const method = (owner: unknown, name: string, ...given: unknown[]): Telling | undefined => {
  const call = (owner as Owner | undefined)?.[name];
  return typeof call === "function" ? () => call.apply(owner, given) : undefined;
};

/** Calls the first function, if it is defined, and then the second. Undefined if the second is not defined. */
const both = (first: Telling | undefined, second: Telling | undefined): Telling | undefined =>
  second &&
  (() => {
    first?.();
    return second();
  });

const page = win as unknown as Owner;

/** A global whose name the minifier must not shorten. */
const named = (name: string): Owner | undefined => page[name] as Owner | undefined;

/** A tool that may have another name on the page. */
const global = (settings: Settings, usual: string): Owner | undefined =>
  named((settings.global as string | undefined) ?? usual);

/** The event that Segment defines for experiments. RudderStack and others have adopted it. */
const EVENT = "Experiment Viewed";

/** The values with Segment's names. */
const variation = ({ experiment_id, experiment_name, variant_id, variant_name }: ArmValues) => ({
  experiment_id,
  experiment_name,
  variation_id: variant_id,
  variation_name: variant_name,
});

/** An arm's name for tools in which blanks are not allowed, and the baseline has to be called `control`. */
const slug = ({ variant_name }: ArmValues): string => variant_name.toLowerCase().replace(" ", "-");

/** Tags for GA4 and others: `MRL-12` for an experiment, `MRL-12-1` for an arm. */
const experimentTag = ({ experiment_id }: ArmValues): string => "MRL-" + experiment_id;
const armTag = (values: ArmValues): string => experimentTag(values) + "-" + values.variant_id;

/**
 * For each tool, a function that returns the notification of an arm; undefined while the tool is not on the page. The
 * object that a tool's snippet defines until the tool has loaded counts as the tool: it keeps calls.
 */
export const TOOLS = new Map<string, (arm: ToldArm, settings: Settings) => Telling | undefined>([
  [
    "ga4",
    ({ _values: values }, settings) =>
      method(page, "gtag", "event", "experience_impression", { exp_variant_string: armTag(values), ...settings }),
  ],
  [
    "gtm",
    ({ _values: values }, { event = "experiment_viewed", data_layer = "dataLayer" }) =>
      method(named(data_layer as string), "push", { event, ...values }),
  ],
  [
    "segment",
    ({ _values: values }, settings) => method(global(settings, "analytics"), "track", EVENT, variation(values)),
  ],
  [
    "rudderstack",
    ({ _values: values }, settings) => method(global(settings, "rudderanalytics"), "track", EVENT, variation(values)),
  ],
  [
    "mixpanel",
    ({ _values: values }, settings) => {
      const tool = global(settings, "mixpanel");
      // A module that the page has not initialised throws.
      if (!tool?.__SV && !tool?.__loaded) return;
      return method(tool, "track", "$experiment_started", {
        "Experiment name": values.experiment_name,
        "Variant name": values.variant_name,
        experiment_id: values.experiment_id,
        variant_id: values.variant_id,
      });
    },
  ],
  [
    "amplitude",
    ({ _key: flag_key, _values: values }, settings) =>
      method(global(settings, "amplitude"), "track", "$exposure", { flag_key, variant: slug(values), ...values }),
  ],
  [
    "posthog",
    ({ _key: key, _values: values }, settings) => {
      const tool = global(settings, "posthog");
      const variant = slug(values);
      // A module that the page has not initialised loses events.
      if (tool?.__loaded === false) return;
      const properties = {
        $feature_flag: key,
        $feature_flag_response: variant,
        ["$feature/" + key]: variant,
        ...values,
      };
      // PostHog counts one of the two. Which one depends on the team and on the start of its experiment; it never
      // counts both.
      return both(
        method(tool, "capture", "$experiment_exposure", properties),
        method(tool, "capture", "$feature_flag_called", properties),
      );
    },
  ],
  [
    "heap",
    ({ _key: key, _values: values }, { event = EVENT }) => {
      const track = method(page.heap, "track", event, { ...values });
      // Heap adds the property to the visitor's events from now on.
      const keep = method(page.heap, "addEventProperties", { ["Experiment " + key]: values.variant_name });
      return both(keep, track);
    },
  ],
  [
    "matomo",
    ({ _values: values }, { dimension }) => {
      const { experiment_name, variant_name } = values;
      const track = method(named("_paq"), "push", [
        "trackEvent",
        EVENT,
        `${experimentTag(values)} ${experiment_name}`,
        `${armTag(values)} ${variant_name}`,
      ]);
      const keep = dimension
        ? method(named("_paq"), "push", ["setCustomDimension", dimension, armTag(values)])
        : undefined;
      // The dimension is sent with the calls that follow it.
      return both(keep, track);
    },
  ],
  [
    "adobe",
    ({ _values: values }, { event = "experiment_viewed", data_layer = "adobeDataLayer" }) =>
      method(named(data_layer as string), "push", { event, experiment: { ...values } }) ??
      method(named("_satellite"), "track", event as string, { ...values }),
  ],
  ["plausible", ({ _values: values }, { event = EVENT }) => method(page, "plausible", event, { props: { ...values } })],
  ["clarity", ({ _values: values }) => method(page, "clarity", "set", experimentTag(values), values.variant_name)],
  ["hotjar", ({ _values: values }) => method(page, "hj", "event", armTag(values))],
  [
    "fullstory",
    ({ _values: values }) => {
      const name = (page["_fs_namespace" as string] as string | undefined) ?? "FS";
      // Earlier versions have methods instead of one function.
      return (
        method(page, name, "trackEvent", { name: EVENT, properties: { ...values } }) ??
        method(page[name], "event", EVENT, { ...values })
      );
    },
  ],
]);
