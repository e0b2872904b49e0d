// How the runtime behaves in a project; the server writes it beside the ruleset.

export interface Settings {
  /** Where the server is, as pages reach it: an origin, or nothing for the page's own. */
  base: string;
  /** Paths of what pages fetch and send, with the project's key in them. */
  events: string;
  ruleset: string;
  geo: string;
  preview: string;
  /** Folder of the parts that are loaded when they are wanted. */
  parts: string;
  /** Name of the page API's global; names of cookies and stored items begin with it. */
  global: string;
  /** `assumed`: recorded unless denied. `required`: nothing is decided, stored or sent before it is granted. `memory`: decided
   *  and shown before, with an id that is kept nowhere, and sent once granted. */
  consent: "assumed" | "required" | "memory";
  /** Whether Global Privacy Control counts as a denial. */
  gpc: boolean;
  /** Whether programs that drive a browser take part. */
  bots: boolean;
  /** Percent of the page views whose health is reported. */
  health: number;
}

declare const SETTINGS: Settings;

/** Those of this page; the script's start completes them. */
export const settings = SETTINGS;

/** The name of something that is stored. */
export const nameOf = (what: string): string => settings.global + "_" + what;
