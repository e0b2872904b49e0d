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
  /** Key of the page's project. */
  project: string;
  /** What it carries, for what is loaded besides. */
  parts: Record<string, unknown>;
  /** Gives an element the nonce of the page's own script. */
  signed<T extends HTMLElement>(element: T): T;
  /** Addresses as the page's policy takes them. */
  trusted(kind: "createScriptURL", address: string): string;
  /** The page, hidden until there is something to show. */
  hidden: Hidden;
  /** Begins the run of the page. */
  start(ruleset: Ruleset, hidden?: Hidden, forced?: At["_forced"]): void;
}

/** What of the page API tells of what goes wrong. */
interface Page {
  on(what: "error", listener: (told: { message: string }) => void): void;
}

/** What the server says of the parts that a preview needs. */
type Previewed = Ruleset & { parts?: string[] };

/** Loads a part that the page's script does not carry. It leaves itself on its element. */
const load = (name: string, { settings, parts, signed, trusted }: Preview): Promise<void> =>
  new Promise((done) => {
    const script = signed(document.createElement("script"));
    script.src = trusted("createScriptURL", `${settings.base + settings.parts + name}.js`) as string;
    script.onload = () => {
      parts[name] = (script as unknown as { muriel: unknown }).muriel;
      done();
    };
    // Without it the rest is shown.
    script.onerror = () => done();
    document.head.append(script);
  });

const NAMES = ["test-preview", "test-variant", "test-token"];

/** The page's address without what made it a preview. */
function without(): string {
  const address = new URL(location.href);
  for (const name of NAMES) address.searchParams.delete(name);
  return address.href;
}

/** Begins the preview, or says why there is none. */
export async function preview(given: Preview): Promise<void> {
  const { settings, project, parts, hidden, start } = given;
  const key = settings.global + "_p";
  const query = new URLSearchParams(location.search);
  const asked = NAMES.map((name) => query.get(name));
  let says = "This preview link has expired or is damaged.";
  const problems: string[] = [];
  let tell = (problem: string): unknown => problems.push(problem);
  try {
    if (asked[0]) {
      sessionStorage.setItem(key, JSON.stringify(asked));
      // The tab's own storage is slow: pages look into it only where there has been a preview.
      localStorage.setItem(key, "1");
      // The page's own tools need not know the token.
      history.replaceState(history.state, "", without());
    }
    const [test, variant, token] = JSON.parse(sessionStorage.getItem(key)!) as [string, string, string];
    // Anybody can make a link: it must not lead to what another project shows.
    const id = parseInt(test, 10);
    const answer = await fetch(`${settings.base + settings.preview}/${id}?token=${encodeURIComponent(token)}`, {
      redirect: "error",
    }).catch(() => {
      says = "No preview: the page's Content-Security-Policy or the network keeps it from the server.";
      throw 0;
    });
    if (answer.status >= 500) says = `No preview: the server answered ${answer.status}.`;
    if (answer.ok) {
      const arm = variant.replace(/\D+/g, "");
      const ruleset = (await answer.json()) as Previewed;
      if (ruleset.project_key !== project) throw 0;
      await Promise.all((ruleset.parts ?? []).filter((name) => !parts[name]).map((name) => load(name, given)));
      start(ruleset, hidden, { test_id: id, variant_id: arm });
      says = `Preview of experiment ${id}: ${arm === "0" ? "Control" : `Variant ${arm}`}. Nothing is recorded.`;
      const trigger = ruleset.experiments[0]?.trigger_variant_change;
      if (trigger) says += ` Its trigger: ${trigger}.`;
      const { [settings.global]: page } = window as unknown as Record<string, Page>;
      page?.on("error", ({ message }) => tell(message));
    }
  } catch {
    // As if it had expired.
  }
  hidden.show();
  tell = badge(says, () => {
    sessionStorage.removeItem(key);
    location.reload();
  });
  for (const problem of problems) tell(problem);
}
