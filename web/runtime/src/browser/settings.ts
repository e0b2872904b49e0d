// The project's settings, which the server appends to the script together with the ruleset.

import type { Ruleset } from "../ruleset";

export interface Settings {
  /** The server's address for pages; empty for the origin of the script. */
  base: string;
  /** Path under which the server answers there, such as `/x`; empty for the root. */
  prefix: string;
  /** Name of the page API's global, and prefix of the names of cookies and stored items. */
  global: string;
  /**
   * The behaviour before the visitor answers. `assumed` records. `required` neither decides nor stores nor sends.
   * `memory` decides and shows with an id that is not stored, and sends once consent is granted.
   */
  consent: "assumed" | "required" | "memory";
  /** True when Global Privacy Control counts as a denial. */
  gpc: boolean;
  /** True when automated browsers take part. */
  bots: boolean;
  /** Percentage of page views whose health is reported. */
  health: number;
}

declare const SETTINGS: Settings;
declare const RULESET: Ruleset;

/** The settings of this page; boot.ts completes `base` with the origin and `prefix`. */
export const settings = SETTINGS;

/** The address of one of the project's endpoints, such as `events`. */
export const endpoint = (name: string): string => `${settings.base}/${name}/${RULESET.project_key}`;

/**
 * The name of a cookie or a stored item. If `what` ends with `_`, the value belongs to the project, whose key follows.
 * Only the values that all projects of a site share have other names: the visitor's id (`id`), the answer to
 * the consent question (`c`) and the domain of cookies (`d`).
 */
export const nameOf = (what: string): string =>
  settings.global + "_" + what + (/_$/.test(what) ? RULESET.project_key : "");
