// The project's settings, which the server appends to the script beside the ruleset.

export interface Settings {
  /** The server's address as pages reach it; empty for the origin of the script. */
  base: string;
  /** Paths of the endpoints, which include the project's key. */
  events: string;
  ruleset: string;
  geo: string;
  preview: string;
  /** Path of the folder with the parts that are loaded on demand. */
  parts: string;
  /** Name of the page API's global, and prefix of the names of cookies and stored items. */
  global: string;
  /**
   * Before the visitor answers: `assumed` records, `required` neither decides nor stores nor sends, `memory` decides and shows with
   * an id that is not stored, and sends once consent is granted.
   */
  consent: "assumed" | "required" | "memory";
  /** Whether Global Privacy Control counts as a denial. */
  gpc: boolean;
  /** Whether automated browsers take part. */
  bots: boolean;
  /** Percentage of page views whose health is reported. */
  health: number;
}

declare const SETTINGS: Settings;

/** The settings of this page; boot.ts completes `base`. */
export const settings = SETTINGS;

/** The name of a cookie or a stored item. */
export const nameOf = (what: string): string => settings.global + "_" + what;
