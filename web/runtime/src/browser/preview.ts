// Previews: a tab that was opened by a preview link shows one arm to any visitor, and records nothing. It remains a
// preview on the following pages until it is ended.

import type { DecisionContext } from "../assign/visitor";
import type { Ruleset } from "../ruleset";
import { badge } from "./badge";
import type { HiddenElements } from "./hide";
import type { Settings } from "./settings";

/** The values that the script passes to the preview. */
export interface PreviewInput {
  settings: Settings;
  /** Key of the page's project. */
  project: string;
  /** The parts of the page's script, to which the preview adds those that it loads. */
  parts: Record<string, unknown>;
  /** Gives an element the nonce of the page's own script. */
  signed<T extends HTMLElement>(element: T): T;
  /** Converts an address by the page's Trusted Types policy. */
  trusted(kind: "createScriptURL", address: string): string;
  /** The page, which is hidden until the preview is shown. */
  hidden: HiddenElements;
  /** Starts the script on the page. */
  start(ruleset: Ruleset, hidden?: HiddenElements, forced?: DecisionContext["_forced"]): void;
}

/**
 * The page API: the method that adds a listener for errors, and the keys of the projects whose scripts are on the page.
 */
interface PageApi {
  on?(what: "error", listener: (told: { message: string }) => void): void;
  /** The parameters of a preview link, once a script has removed them from the address. */
  preview?: (string | null)[];
  [project: string]: unknown;
}

/** The ruleset of a preview, with the names of the parts that it needs. */
type PreviewRuleset = Ruleset & { parts?: string[] };

/** Loads a part that the page's script does not contain. The part puts itself on its script element. */
const load = (name: string, { settings, parts, signed, trusted }: PreviewInput): Promise<void> =>
  new Promise((done) => {
    const script = signed(document.createElement("script"));
    script.src = trusted("createScriptURL", `${settings.base}/js/parts/${name}.js`) as string;
    script.onload = () => {
      parts[name] = (script as unknown as { muriel: unknown }).muriel;
      done();
    };
    // The preview continues without the part.
    script.onerror = () => done();
    document.head.append(script);
  });

const NAMES = ["test-preview", "test-variant", "test-token"];

/** The page's address without the parameters of the preview. */
function without(): string {
  const address = new URL(location.href);
  for (const name of NAMES) address.searchParams.delete(name);
  return address.href;
}

/** Selectors that an arm's changes look for. */
const selectorsOf = (ruleset: PreviewRuleset, arm: string): string[] => {
  const changes = (ruleset.experiments[0]?.variants[+arm - 1]?.data ?? []) as unknown as Record<string, unknown>[];
  const named = changes.flatMap(({ target, rm, oriEl, refEl }) => [target, rm, oriEl, refEl]);
  return [...new Set(named)].filter((name): name is string => typeof name === "string");
};

/** Starts the preview, or shows why it cannot start. */
export async function preview(given: PreviewInput): Promise<void> {
  const { settings, project, parts, hidden, start } = given;
  // The same name as `nameOf("p_")` in the script.
  const key = `${settings.global}_p_${project}`;
  const page = (window as unknown as Record<string, PageApi>)[settings.global] ?? {};
  const query = new URLSearchParams(location.search);
  const linked = NAMES.map((name) => query.get(name));
  const asked = linked[0] ? linked : (page.preview ?? linked);
  let isShown = false;
  let says = "This preview link has expired or is damaged.";
  const problems: string[] = [];
  let tell = (problem: string): unknown => problems.push(problem);
  try {
    if (asked[0]) {
      sessionStorage.setItem(key, JSON.stringify(asked));
      // Session storage is slow: pages read it only if this flag says that there has been a preview.
      localStorage.setItem(key, "1");
      page.preview = asked;
      // Keeps the token from the page's analytics.
      history.replaceState(history.state, "", without());
    }
    const [test, variant, token] = JSON.parse(sessionStorage.getItem(key)!) as [string, string, string];
    // Anybody can craft a link: it must not show an experiment of another project.
    const id = parseInt(test, 10);
    const answer = await fetch(`${settings.base}/preview/${project}/${id}?token=${encodeURIComponent(token)}`, {
      redirect: "error",
    }).catch(() => {
      says = "No preview: the page's Content-Security-Policy or the network keeps it from the server.";
      throw 0;
    });
    if (answer.status >= 500) says = `No preview: the server answered ${answer.status}.`;
    if (answer.ok) {
      const arm = variant.replace(/\D+/g, "");
      const ruleset = (await answer.json()) as PreviewRuleset;
      if (ruleset.project_key !== project) throw 0;
      await Promise.all((ruleset.parts ?? []).filter((name) => !parts[name]).map((name) => load(name, given)));
      // The experiment's checklist shows which arms were previewed, and which selectors matched. The report is sent as
      // text, so that browsers send no preflight request.
      const shown = (missing: string[]): void => {
        if (missing[0]) tell("matches nothing: " + missing.join(", "));
        const matched = selectorsOf(ruleset, arm).filter((each) => !missing.includes(each));
        const report = { token, variant_id: +arm, url: without(), matched, missing };
        void fetch(`${settings.base}/preview/${project}/${id}/report`, {
          method: "POST",
          body: JSON.stringify(report),
          keepalive: true,
        }).catch(() => {});
      };
      start(ruleset, hidden, { test_id: id, variant_id: arm, shown });
      isShown = true;
      says = `Preview of experiment ${id}: ${arm === "0" ? "Control" : `Variant ${arm}`}. Nothing is recorded.`;
      const trigger = ruleset.experiments[0]?.trigger_variant_change;
      if (trigger) says += ` Its trigger: ${trigger}.`;
      page.on?.("error", ({ message }) => tell(message));
    }
  } catch {
    // Treated as an expired link.
  }
  hidden.show();
  // Scripts of other projects may still be on their way.
  if (!isShown && document.readyState !== "complete") await new Promise((done) => addEventListener("load", done));
  // The link is for another project on the page, whose script shows the arm and the badge. This one shows and records
  // nothing.
  if (!isShown && Object.keys(page).some((name) => name !== project && page[name] === name))
    return sessionStorage.removeItem(key);
  tell = badge(says, () => {
    sessionStorage.removeItem(key);
    location.reload();
  });
  for (const problem of problems) tell(problem);
}
