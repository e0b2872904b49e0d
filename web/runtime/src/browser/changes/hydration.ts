// Elements that a server has rendered and that a framework is about to take over in the browser: hydration.
//
// The framework compares the page with what its server rendered. Other words and nodes are an error: React then throws the server's tree away.
// Attributes, classes and styles are not compared. So words and nodes wait until their element is taken over, and until then it is hidden: by an
// animation, which is not an attribute and not a rule for others.

import { HIDDEN_MAX_MS } from "../limits";
import { when } from "../trigger";
import { all, doc, later, listen, now, quietly, win } from "../world";

/** What React keeps of an element; the same fields since version 16. */
interface Fiber {
  return: Fiber | null;
  child: Fiber | null;
  sibling: Fiber | null;
  alternate: Fiber | null;
  stateNode: { current?: Fiber };
}

// Taken now: by the time that they are wanted a page may have redefined them.
const keys = Object.keys;
const max = Math.max;
const animate = Element.prototype.animate;
const Elements = Map<Element, Waiting>;

/** Where servers of frameworks put what is taken over; and names that are common without any framework, too, of which only pages with scripts are
 *  taken over that come while the page is parsed or after it. */
const ROOTS =
  "#__next,#__nuxt,#___gatsby,#__docusaurus,#svelte,[data-reactroot],[ng-server-context],[data-sveltekit-preload-data],[data-sveltekit-hydrate],[data-hk]";
const MAYBE = "#root,#app";
const SCRIPTS = "script[src][async],script[src][defer],script[type=module]";

/** What says that an element is not taken over yet, as it is gone then; and where React keeps what it will put into its place. */
const MARKED = '[data-server-rendered],[ngh],astro-island[ssr],div[hidden][id*="S:"]';

/** What in the head says that a framework is on its way. */
const HEAD =
  '[src*="/_next/"],[href*="/_next/"],[src*="/_nuxt/"],[href*="/_nuxt/"],[href*="/_app/immutable/"],[content^=VitePress],[content^=VuePress],[content^=Gatsby],[content^=Docusaurus]';
const GLOBALS = /^__(NEXT_DATA__|next_f|NUXT__|remixContext|reactRouterContext|VP_HASH_MAP__|sveltekit_)|^_\$HY$/;

/** Comments around parts of a page: of React's Suspense (`$`, closed by `/$`), and between its texts (a blank); of Vue and Svelte (`[`). */
const isPart = /^(\$[?!~]?|\[!?| )$/;

/** How far back comments are looked for among the siblings of an element. */
const SIBLINGS_MAX = 100;
/** Elements that are asked about in one turn. */
const ASKED_MAX = 50;
const TURN_MS = 16;
/** For how long signs of a framework are believed to be missing. */
const LOOK_MS = 20;

/** Taken over, or nobody's; no framework is known of; one may be or is on its way; it is known that it has not been here yet. */
const enum Stage {
  Free,
  Unknown,
  Expected,
  Due,
}

/** The version of a fiber that is on the page; nothing where React has not finished the part of the page that it belongs to. */
function committed(fiber: Fiber): Fiber | undefined {
  if (!fiber.return) return fiber.stateNode?.current;
  for (let child = committed(fiber.return)?.child; child; child = child.sibling) {
    if (child === fiber || child.alternate === fiber) return child;
  }
}

/** How far hydration is at a node of the page, by what frameworks leave there and above it. */
function stageOf(element: Element): Stage {
  if (element.closest(MARKED)) return Stage.Due;
  let isIn: unknown;
  let hasParts: unknown;
  for (let node: Node | null = element; node; node = node.parentNode ?? (node as ShadowRoot).host ?? null) {
    for (const key of keys(node)) {
      const value = (node as unknown as Record<string, unknown>)[key] as Fiber & { $nuxt?: { isHydrating?: boolean } };
      // An element that React has been at is in no part that it still has to get to.
      if (/^__react(Fiber|InternalInstance)\$/.test(key)) return isIn || !committed(value) ? Stage.Due : Stage.Free;
      if (/^__reactContainer\$/.test(key)) return isIn || !value.stateNode.current?.child ? Stage.Due : Stage.Free;
      if (key === "__vue_app__") return value.$nuxt?.isHydrating ? Stage.Due : Stage.Free;
      if (/^__(vue__|ngContext__)$/.test(key)) return Stage.Free;
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
  if (empty?.some((root) => root.contains(element))) return Stage.Unknown;
  const isTheirs =
    hasParts ||
    element.closest(ROOTS) ||
    isExpected() ||
    (element.closest(MAYBE) && (doc.readyState === "loading" || doc.querySelector(SCRIPTS)));
  return isTheirs ? Stage.Expected : Stage.Unknown;
}

/** Containers in which there was nothing when the page had been parsed: what is in them scripts have made, and nobody takes it over. */
let empty: Element[] | undefined;

// Before deferred scripts and modules run.
const noteEmpty = (): void => {
  if (doc.readyState !== "loading") empty ??= all(ROOTS + "," + MAYBE).filter((root) => !root.firstElementChild);
};
listen(doc, "readystatechange", noteEmpty);
noteEmpty();

let expected: unknown;
let looked = 0;

/** Whether the page as a whole has signs of a framework. To look takes longer than the rest, so it is not done for each of many elements. */
function isExpected(): unknown {
  if (!expected && now() - looked > LOOK_MS) {
    expected = doc.head?.querySelector(HEAD) || keys(win).some((key) => GLOBALS.test(key));
    looked = now();
  }
  return expected;
}

/** Whether the page has loaded and is idle: who has not come by then does not come. */
let settled: boolean | undefined;

function isPending(element: Element, isWanted: boolean): boolean {
  const stage = stageOf(element);
  if (stage === Stage.Due) return true;
  if (settled || !(stage === Stage.Expected || (isWanted && stage === Stage.Unknown))) return false;
  if (settled == null) {
    settled = false;
    when("load", () => {
      settled = true;
    });
  }
  return !settled;
}

interface Waiting {
  element: Element;
  /** Those that have to be taken over. */
  owners: Element[];
  isWanted: boolean;
  since: number;
  cover: Animation | undefined;
  again(element: Element): void;
  /** It is not waited for any more. */
  forget(): void;
}

const waiting = new Set<Waiting>();
let longest = 0;

/** For how long elements were hidden, in milliseconds: the one that was so the longest. */
export const hiddenMs = (): number => longest;

function uncover({ cover, since }: Waiting): void {
  if (!cover) return;
  longest = max(longest, now() - since);
  quietly(() => cover.cancel());
}

function end(each: Waiting): void {
  waiting.delete(each);
  if (each.element.isConnected) quietly(() => each.again(each.element));
  // What the page has let go, or what matches no longer, is a new element should it come back.
  each.forget();
  uncover(each);
}

let isTicking: boolean | undefined;

function tick(): void {
  let left = ASKED_MAX;
  for (const each of waiting) {
    const { element, owners, isWanted } = each;
    if (!element.isConnected || !owners.some((owner) => isPending(owner, isWanted))) end(each);
    else if (!--left) break;
  }
  isTicking = !!waiting.size;
  if (isTicking) later(tick, TURN_MS);
}

/** Those that began to wait together. */
let batch: Waiting[] | undefined;

export interface Gate {
  /** Whether a change of an element has to wait until its `owners`, whose content it changes, are taken over. Then it is asked for again. */
  holds(element: Element, owners: Element[]): boolean;
  /** Ends all waiting; what is hidden is shown. */
  leave(): void;
}

/**
 * What one rule asks before it changes words or nodes. `again` is called for an element when it may.
 *
 * `isWanted`: waits for the page to have loaded and to be idle even where there is no sign of a framework. `covers`: whether an element may be
 * hidden now, as nobody has seen it. No element waits, or is hidden, for more than a second: then it is changed all the same.
 */
export function gate(isWanted: boolean, covers: () => boolean, again: (element: Element) => void): Gate {
  const held = new Elements();
  return {
    holds(element, owners) {
      const before = held.get(element);
      if (before && waiting.has(before)) return true;
      // It was asked for again: it may be changed now.
      if (held.delete(element)) return false;
      // Nobody takes over what stands at the end of the body or in the head.
      const theirs = owners.filter((owner) => !/^(html|head|body)$/.test(owner.localName));
      if (!theirs.some((owner) => isPending(owner, isWanted))) return false;
      const cover = covers()
        ? quietly(() => animate.call(element, { visibility: ["hidden", "hidden"] }, 1e9))
        : undefined;
      const each: Waiting = {
        element,
        owners: theirs,
        isWanted,
        since: now(),
        cover,
        again,
        forget: () => held.delete(element),
      };
      held.set(element, each);
      waiting.add(each);
      if (!batch) {
        const ours: Waiting[] = (batch = []);
        later(() => {
          for (const one of ours) if (waiting.has(one)) end(one);
        }, HIDDEN_MAX_MS);
        later(() => (batch = undefined), 0);
      }
      batch.push(each);
      if (!isTicking) {
        isTicking = true;
        later(tick, TURN_MS);
      }
      return true;
    },
    leave() {
      for (const each of held.values()) {
        waiting.delete(each);
        uncover(each);
      }
      held.clear();
    },
  };
}
