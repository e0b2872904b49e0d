// Line-by-line difference of two texts: for code, and for anything that is easier to read as lines.

export interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
}

/**
 * Maximum number of changed lines to search for. Texts that differ in more are shown as replaced between their equal
 * ends.
 */
const EDITS_MAX = 2_000;

/** Every line of both texts. Removed lines come before the lines that replace them. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [was, is] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < was.length && start < is.length && was[start] === is[start]) start += 1;
  let end = 0;
  while (end < was.length - start && end < is.length - start && was.at(-1 - end) === is.at(-1 - end)) end += 1;
  return [
    ...lines("same", was.slice(0, start)),
    ...between(was.slice(start, was.length - end), is.slice(start, is.length - end)),
    ...lines("same", was.slice(was.length - end)),
  ];
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replaceAll("\r\n", "\n").split("\n");
}

function lines(kind: DiffLine["kind"], texts: string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}

function between(was: string[], is: string[]): DiffLine[] {
  const rounds = shortest(was, is);
  return rounds ? grouped(walked(was, is, rounds)) : [...lines("removed", was), ...lines("added", is)];
}

/**
 * Myers's greedy algorithm of 1986. Each round allows one more edit. On each diagonal k (lines of `was` minus lines of
 * `is`) it finds the furthest line of `was` that these edits reach. Returns the state at the start of every round;
 * undefined beyond `EDITS_MAX`.
 */
function shortest(was: string[], is: string[]): Int32Array[] | undefined {
  const most = Math.min(was.length + is.length, EDITS_MAX);
  let furthest = new Int32Array(2 * most + 3);
  const middle = most + 1;
  const rounds: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits += 1) {
    // Only the diagonals that a round can reach are stored.
    rounds.push(furthest.slice(middle - edits - 1, middle + edits + 2));
    const next = furthest.slice();
    for (let k = -edits; k <= edits; k += 2) {
      const [below, above] = [furthest[middle + k - 1] ?? 0, furthest[middle + k + 1] ?? 0];
      let x = k === -edits || (k !== edits && below < above) ? above : below + 1;
      while (x < was.length && x - k < is.length && was[x] === is[x - k]) x += 1;
      next[middle + k] = x;
      if (x >= was.length && x - k >= is.length) return rounds;
    }
    furthest = next;
  }
  return undefined;
}

/** The path that the rounds found, walked from its end. */
function walked(was: string[], is: string[], rounds: Int32Array[]): DiffLine[] {
  const found: DiffLine[] = [];
  let [x, y] = [was.length, is.length];
  for (let edits = rounds.length - 1; edits >= 0; edits -= 1) {
    const round = rounds[edits];
    const reached = (k: number) => round?.[k + edits + 1] ?? 0;
    const k = x - y;
    const isAdded = k === -edits || (k !== edits && reached(k - 1) < reached(k + 1));
    const from = isAdded ? k + 1 : k - 1;
    const fromX = edits === 0 ? 0 : reached(from);
    const fromY = edits === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      found.push({ kind: "same", text: was[x] ?? "" });
    }
    if (edits === 0) break;
    found.push(isAdded ? { kind: "added", text: is[fromY] ?? "" } : { kind: "removed", text: was[fromX] ?? "" });
    [x, y] = [fromX, fromY];
  }
  return found.reverse();
}

/** Puts the removed lines first within each run of changed lines. */
function grouped(diff: DiffLine[]): DiffLine[] {
  const found: DiffLine[] = [];
  let added: DiffLine[] = [];
  for (const line of diff) {
    if (line.kind === "added") added.push(line);
    else {
      if (line.kind === "same") {
        found.push(...added);
        added = [];
      }
      found.push(line);
    }
  }
  return [...found, ...added];
}

/** Lines to show, or the number of equal lines that are left out. */
export type DiffPart = { lines: DiffLine[] } | { skipped: number };

/** The changed lines with `around` equal lines around them. */
export function withContext(diff: DiffLine[], around = 3): DiffPart[] {
  const near = new Uint8Array(diff.length);
  for (const [at, { kind }] of diff.entries()) {
    if (kind !== "same") near.fill(1, Math.max(0, at - around), at + around + 1);
  }
  const parts: DiffPart[] = [];
  for (const [at, line] of diff.entries()) {
    const last = parts.at(-1);
    if (near[at]) {
      if (last && "lines" in last) last.lines.push(line);
      else parts.push({ lines: [line] });
    } else if (last && "skipped" in last) last.skipped += 1;
    else parts.push({ skipped: 1 });
  }
  return parts;
}
