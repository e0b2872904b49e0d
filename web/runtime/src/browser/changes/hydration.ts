// Hydration: a framework takes over elements that its server has rendered.
//
// The framework compares the page with what its server rendered. Different text or nodes are an error: React then
// discards the server's tree. Attributes, classes and styles are not compared. So changes of text and nodes wait until
// their element is hydrated. Until then, the element is hidden by an animation, which the framework does not notice.

import { HIDING_TIMEOUT_MS } from "../limits";
import { readLocal } from "../storage";
import { when } from "../trigger";
import { queryAll, doc, startTimer, listen, now, quietly, win } from "../world";

/** React's internal record of an element; it has these fields since version 16. */
interface Fiber {
  return: Fiber | null;
  child: Fiber | null;
  sibling: Fiber | null;
  alternate: Fiber | null;
  stateNode: { current?: Fiber };
}

// Taken now, as a page may redefine them before they are used.
const keys = Object.keys;
const max = Math.max;
const animate = Element.prototype.animate;
const Elements = Map<Element, PendingElement>;

/** Containers of frameworks. `POSSIBLE_ROOTS` are common without a framework, too: they count on pages with scripts that run during or after
 *  parsing. */
const ROOTS =
  "#__next,#__nuxt,#___gatsby,#__docusaurus,#svelte,[data-reactroot],[ng-server-context],[data-sveltekit-preload-data],[data-sveltekit-hydrate],[data-hk]";
const POSSIBLE_ROOTS = "#root,#app";
const SCRIPTS = "script[src][async],script[src][defer],script[type=module]";

/** Attributes that are removed by hydration, and the containers in which React streams content that it will move. */
const PENDING_MARKERS = '[data-server-rendered],[ngh],astro-island[ssr],div[hidden][id*="S:"]';

/** Files and tags in the head that announce a framework. */
const FRAMEWORK_FILES =
  // React 19 announces its first scripts in this way, and loads them at the end of the document.
  'link[fetchpriority=low]:is([rel=modulepreload],[rel=preload][as=script]),[src*="/_next/"],[href*="/_next/"],[src*="/_nuxt/"],[href*="/_nuxt/"],[href*="/_app/immutable/"],[content^=VitePress],[content^=VuePress],[content^=Gatsby],[content^=Docusaurus]';
const FRAMEWORK_GLOBALS =
  /^__(NEXT_DATA__|next_f|NUXT__|remixContext|reactRouter|VP_HASH_MAP__|sveltekit_|WAKU|FLIGHT_DATA)|^_\$HY$|^\$_TSR$/;
/**
 * React that owns the document (React Router, TanStack Start, Waku) fetches modules in the head and starts them at the end of the body. Builds
 * of pages without a framework have their modules, or a map of them, in the head as well.
 */
const PRELOADS = "link[rel=modulepreload]";
const HEAD_MODULES = "script[type=module],script[type=importmap]";

/**
 * The text of comments that frameworks put around parts of a page: `$` for React's Suspense (closed by `/$`), a blank
 * between React's texts, `[` for Vue and Svelte.
 */
const isPart = /^(\$[?!~]?|\[!?| )$/;

/** Maximum number of siblings before an element that are searched for comments. */
const SIBLINGS_MAX = 100;
/** Maximum number of elements that are checked in one tick. */
const CHECKS_PER_TICK_MAX = 50;
const TICK_MS = 16;
/** Milliseconds for which the absence of signs of a framework is cached. */
const SIGNS_CACHE_MS = 20;

/**
 * `Free`: hydrated or static. `Unknown`: no sign of a framework. `Expected`: a framework is announced. `Due`: known not
 * to be hydrated yet.
 */
const enum HydrationStage {
  Free,
  Unknown,
  Expected,
  Due,
}

/** The committed version of a fiber; undefined if React has not finished its part of the page. */
function committed(fiber: Fiber): Fiber | undefined {
  if (!fiber.return) return fiber.stateNode?.current;
  for (let child = committed(fiber.return)?.child; child; child = child.sibling) {
    if (child === fiber || child.alternate === fiber) return child;
  }
}

/** The hydration stage of an element, by what frameworks leave on it and its ancestors. */
function stageOf(element: Element): HydrationStage {
  if (element.closest(PENDING_MARKERS)) return HydrationStage.Due;
  let isIn: unknown;
  let hasParts: unknown;
  for (let node: Node | null = element; node; node = node.parentNode ?? (node as ShadowRoot).host ?? null) {
    for (const key of keys(node)) {
      const value = (node as unknown as Record<string, unknown>)[key] as Fiber & { $nuxt?: { isHydrating?: boolean } };
      // An element that React has committed is not in a part that is still to be hydrated.
      if (/^__react(Fiber|InternalInstance)\$/.test(key))
        return isIn || !committed(value) ? HydrationStage.Due : HydrationStage.Free;
      if (/^__reactContainer\$/.test(key))
        return isIn || !value.stateNode.current?.child ? HydrationStage.Due : HydrationStage.Free;
      if (key === "__vue_app__") return value.$nuxt?.isHydrating ? HydrationStage.Due : HydrationStage.Free;
      if (/^__(vue__|ngContext__)$/.test(key)) return HydrationStage.Free;
    }
    let closed = 0;
    let left = SIBLINGS_MAX;
    for (let before = node.previousSibling; before && left--; before = before.previousSibling) {
      if (before.nodeType !== 8) continue;
      const { data } = before as Comment;
      hasParts ||= isPart.test(data);
      if (data === "/$") closed++;
      else if (data[0] === "$" && !closed--) isIn = true;
      if (closed < 0) closed = 0;
    }
  }
  if (emptyRoots?.some((root) => root.contains(element))) return HydrationStage.Unknown;
  const isTheirs =
    hasParts ||
    element.closest(ROOTS) ||
    isExpected() ||
    (element.closest(POSSIBLE_ROOTS) && (doc.readyState === "loading" || doc.querySelector(SCRIPTS)));
  return isTheirs ? HydrationStage.Expected : HydrationStage.Unknown;
}

/** Containers that were empty when the page had been parsed: scripts create their content, so nothing is hydrated. */
let emptyRoots: Element[] | undefined;

// Before deferred scripts and modules run.
const noteEmpty = (): void => {
  if (doc.readyState !== "loading")
    emptyRoots ??= queryAll(ROOTS + "," + POSSIBLE_ROOTS).filter((root) => !root.firstElementChild);
};
listen(doc, "readystatechange", noteEmpty);
noteEmpty();

let hasSigns: unknown;
let signsCheckedAt = 0;

/** The name of the item of session storage that notes that a framework hydrates pages of this site. */
let noteName: string | undefined;

const hasFramework = (): unknown =>
  doc.head?.querySelector(FRAMEWORK_FILES) ||
  keys(win).some((key) => FRAMEWORK_GLOBALS.test(key)) ||
  keys(doc).some((key) => /^__reactContainer\$/.test(key));

/** Returns whether the page as a whole has signs of a framework. The check is slow, so its result is cached. */
function isExpected(): unknown {
  if (!hasSigns && now() - signsCheckedAt > SIGNS_CACHE_MS) {
    hasSigns =
      (noteName && quietly(() => win.sessionStorage[noteName!])) ||
      hasFramework() ||
      (doc.head?.querySelector(PRELOADS) && !doc.head.querySelector(HEAD_MODULES));
    signsCheckedAt = now();
  }
  return hasSigns;
}

/**
 * Stores that a framework was found once the page has loaded, for the other pages of the visit: a page may show signs
 * only after an element was parsed. Nothing is stored for visitors for whom nothing else is stored.
 */
export function noteFramework(name: string): void {
  if (noteName) return;
  noteName = name;
  const look = (): unknown =>
    startTimer(() => quietly(() => readLocal("id") && hasFramework() && (win.sessionStorage[name] = "1")), 0);
  if (doc.readyState === "complete") look();
  else listen(win, "load", look);
}

/** True when the page has loaded and is idle: a framework that has not started by then is no longer expected. */
let isPageSettled: boolean | undefined;

function isPending(element: Element, isWanted: boolean): boolean {
  const stage = stageOf(element);
  if (stage === HydrationStage.Due) return true;
  if (isPageSettled || !(stage === HydrationStage.Expected || (isWanted && stage === HydrationStage.Unknown)))
    return false;
  if (isPageSettled == null) {
    isPageSettled = false;
    when("load", () => {
      isPageSettled = true;
    });
  }
  return !isPageSettled;
}

interface PendingElement {
  _element: Element;
  /** The elements that have to be hydrated. */
  _owners: Element[];
  _isWanted: boolean;
  _since: number;
  _cover: Animation | undefined;
  _again(element: Element): void;
  /** Removes it from its gate. */
  _forget(): void;
}

const pendingElements = new Set<PendingElement>();
let longestHiddenMs = 0;

/** The longest time for which an element was hidden, in milliseconds. */
export const hiddenMs = (): number => longestHiddenMs;

function uncover({ _cover: cover, _since: since }: PendingElement): void {
  if (!cover) return;
  longestHiddenMs = max(longestHiddenMs, now() - since);
  quietly(() => cover.cancel());
}

function endWait(each: PendingElement): void {
  pendingElements.delete(each);
  if (each._element.isConnected) quietly(() => each._again(each._element));
  // If the element is gone or no longer matches, it counts as new when it comes back.
  each._forget();
  uncover(each);
}

let isTicking: boolean | undefined;

function tick(): void {
  let left = CHECKS_PER_TICK_MAX;
  for (const each of pendingElements) {
    const { _element: element, _owners: owners, _isWanted: isWanted } = each;
    if (!element.isConnected || !owners.some((owner) => isPending(owner, isWanted))) endWait(each);
    else if (!--left) break;
  }
  isTicking = !!pendingElements.size;
  if (isTicking) startTimer(tick, TICK_MS);
}

/** Elements that started to wait in the same task, which share a timeout. */
let batch: PendingElement[] | undefined;

export interface HydrationGate {
  /**
   * Returns whether a change of an element has to wait until its `owners`, whose content it changes, are hydrated. If
   * so, `again` is called then.
   */
  _holds(element: Element, owners: Element[]): boolean;
  /** Cancels all waits and shows the elements. */
  _leave(): void;
}

/**
 * Creates the gate of one rule that changes text or nodes. `again` is called for an element when the change may be made.
 *
 * With `isWanted`, changes wait until the page has loaded and is idle even without a sign of a framework. `covers`
 * returns whether elements may be hidden now, because they have not been painted. After a second, an element is changed
 * in any case.
 */
export function gate(isWanted: boolean, covers: () => boolean, again: (element: Element) => void): HydrationGate {
  const held = new Elements();
  return {
    _holds(element, owners) {
      const before = held.get(element);
      if (before && pendingElements.has(before)) return true;
      // The wait of this element is over: it may be changed now.
      if (held.delete(element)) return false;
      // Frameworks tolerate other nodes in the head.
      const theirs = owners.filter((owner) => !/^(html|head)$/.test(owner.localName));
      if (!theirs.some((owner) => isPending(owner, isWanted))) return false;
      const cover = covers()
        ? quietly(() => animate.call(element, { visibility: ["hidden", "hidden"] }, 1e9))
        : undefined;
      const each: PendingElement = {
        _element: element,
        _owners: theirs,
        _isWanted: isWanted,
        _since: now(),
        _cover: cover,
        _again: again,
        _forget: () => held.delete(element),
      };
      held.set(element, each);
      pendingElements.add(each);
      if (!batch) {
        const ours: PendingElement[] = (batch = []);
        startTimer(() => {
          for (const one of ours) if (pendingElements.has(one)) endWait(one);
        }, HIDING_TIMEOUT_MS);
        startTimer(() => (batch = undefined), 0);
      }
      batch.push(each);
      if (!isTicking) {
        isTicking = true;
        startTimer(tick, TICK_MS);
      }
      return true;
    },
    _leave() {
      for (const each of held.values()) {
        pendingElements.delete(each);
        uncover(each);
      }
      held.clear();
    },
  };
}
