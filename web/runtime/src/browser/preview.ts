// A preview: a tab that was opened by a link of the dashboard shows one arm, whoever the visitor is, and records nothing. It
// keeps doing so on the pages that follow, until it is ended.

import type { At } from "../assign/visitor";
import type { Ruleset } from "../ruleset";
import { badge } from "./badge";
import type { Hidden } from "./hide";
import type { Settings } from "./settings";

/** What the script hands over. */
export interface Preview {
  settings: Settings;
  /** The page, hidden until there is something to show. */
  hidden: Hidden;
  /** Begins the run of the page. */
  start(ruleset: Ruleset, hidden?: Hidden, forced?: At["forced"]): void;
}

const NAMES = ["test-preview", "test-variant", "test-token"];

/** Begins the preview, or says why there is none. */
export async function preview({ settings, hidden, start }: Preview): Promise<void> {
  const key = settings.global + "_p";
  const query = new URLSearchParams(location.search);
  const given = NAMES.map((name) => query.get(name));
  let says = "This preview link has expired or is damaged.";
  try {
    if (given[0]) sessionStorage.setItem(key, JSON.stringify(given));
    const [test, variant, token] = JSON.parse(sessionStorage.getItem(key)!) as [string, string, string];
    const answer = await fetch(`${settings.base + settings.preview}/${test}?token=${encodeURIComponent(token)}`);
    if (answer.ok) {
      const arm = variant.replace(/\D+/g, "");
      start((await answer.json()) as Ruleset, hidden, { test_id: +test, variant_id: arm });
      says = `Preview of experiment ${test}: ${arm === "0" ? "Control" : `Variant ${arm}`}. Nothing is recorded.`;
    }
  } catch {
    // As if it had expired.
  }
  hidden.show();
  badge(says, () => {
    sessionStorage.removeItem(key);
    const address = new URL(location.href);
    for (const name of NAMES) address.searchParams.delete(name);
    if (address.href === location.href) location.reload();
    else location.replace(address.href);
  });
}
