// Random sequences of operations of pages on their own nodes, on a page with arms and on its twin without the script.
// While the arms are shown, the page is the twin with their changes. After they are removed, the page equals the twin.

import { areTangled, Arm, styled, views } from "./twins/arms.mjs";
import { FIGHTS } from "./twins/fights.mjs";
import { KINDS, OPERATIONS, pick } from "./twins/operations.mjs";
import { BODY, print, Side } from "./twins/side.mjs";
import { equal, turn } from "./world.mjs";
import { WRAPPERS, wrapping } from "./wrapping.mjs";

/** A generator of numbers from 0 to 2³² − 1 by a seed. */
function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    // Mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return (value ^ (value >>> 14)) >>> 0;
  };
}

/** Thrown with a description of the failure of a sequence. */
class Wrong extends Error {}

/** A number of rounds after which a script of the page should have had its way. */
const ROUNDS_MAX = 100;
/** Repetitions of an operation in a fight: more than the number of times a second that the script makes a change again. */
const REPETITIONS = 12;

/** A page with arms and its twin, on which a sequence is played. */
class Pair {
  /** The arms that are shown, with the functions that remove them. */
  undos = new Map();
  /** The arms that were shown. */
  left = [];
  isFought = false;
  isTangled = false;

  constructor(page, other, translator) {
    this.page = page;
    this.ours = new Side(page);
    this.twin = new Side(other);
    this.translator = translator;
  }

  get sides() {
    return [this.twin, this.ours];
  }
  get arms() {
    return [...this.undos.keys()];
  }

  show(arm) {
    this.undos.set(arm, this.page.M.change([arm.item], arm.isKept).undo);
  }

  remove(arm) {
    this.undos.get(arm)();
    this.undos.delete(arm);
    this.left.push(arm);
  }

  translate() {
    for (const side of this.sides) {
      side.isTranslated = true;
      if (this.translator.isMarked) side.doc.documentElement.className = "translated-ltr";
      wrapping(side.page, WRAPPERS[this.translator.way]);
    }
  }

  /** Does an operation on both sides, if it is possible now. */
  operate([kind, ...given]) {
    const name = pick(KINDS, kind);
    const [resolve, act] = OPERATIONS[name];
    const nodes = resolve(this.twin, given);
    if (!nodes || nodes.some((node) => node === undefined)) return;
    const text = `t${given[3] % 100_000}`;
    for (const side of this.sides) {
      try {
        act(
          side,
          nodes.map((node) => side.nodes[node] ?? null),
          text,
          given[2],
        );
      } catch (error) {
        throw new Wrong(`${name}${side === this.twin ? " without the script" : ""}: ${error}`);
      }
    }
    if (this.ours.nodes.length !== this.twin.nodes.length)
      throw new Wrong(`${name}: other nodes than without the script`);
  }

  /** Plays a script that fights against an arm, if there is something to fight about. */
  async fight({ kind, arm: at, text }) {
    const arm = this.arms[at % this.arms.length];
    const element = arm?.matches(this.twin)[0];
    const all = Object.entries(FIGHTS).filter(([, { isFor }]) => arm && isFor(arm, this.arms));
    if (!element || !all[0]) return;
    const [name, { nodes, act }] = pick(all, kind);
    const wanted = [element, ...(nodes?.(arm, element) ?? [])].map((node) => this.twin.numbers.get(node));
    if (wanted.includes(undefined)) return;
    this.isFought = true;
    for (const side of this.sides) {
      const rounds = await act(
        side,
        wanted.map((node) => side.nodes[node]),
        text,
        arm,
      );
      if (rounds > ROUNDS_MAX) throw new Wrong(`a script that keeps ${name} is never given up to`);
    }
  }

  /**
   * Repeats an operation, each time in a task of its own and with another text: when the script gives up, it takes equal
   * nodes for repetitions.
   */
  async repeat([kind, container, child, other, text]) {
    this.isFought = true;
    for (let round = 0; round < REPETITIONS; round++) {
      this.operate([kind, container, child, other, text + round]);
      await turn();
    }
  }

  isGivenUp = ({ selector }) => this.page.M.said.includes(`fight:${selector}`);

  /** Compares the page with its twin. With `isDone`, scripts of the page have had the time to act. */
  check(when, isDone = true) {
    const { arms, ours, twin, page } = this;
    const fail = (what) => {
      throw new Wrong(`${when}: ${what}${page.M.said[0] ? ` (${page.M.said})` : ""}`);
    };
    const strange = page.M.said.filter((what) => !(/^change/.test(what) || (this.isFought && /^fight/.test(what))));
    if (strange[0]) fail(strange.join());
    const isWhole = !arms[0] && !this.translator;
    const all = views(arms, this.left, twin, this.isGivenUp);
    const text = print(ours, all[0].plain, false);
    this.isTangled ||= areTangled(arms, twin);
    for (const arm of [...arms, ...this.left]) {
      const count = text.split(arm.mark).length - 1;
      const most = arms.includes(arm) ? Math.max(arm.matches(twin).length, +this.isTangled) : 0;
      if (count > most) fail(`${arm.mark} is there ${count} times instead of ${most}: ${text}`);
    }
    // What is changed once may be ours or the page's.
    if (arms.some(({ isKept }) => !isKept) || (arms[0] && this.isTangled)) return;
    if (!all.some((view) => print(ours, view.plain, isWhole) === print(twin, view, isWhole))) {
      const [is, wanted] = [print(ours, all[0].plain, isWhole), print(twin, all[0], isWhole)];
      fail(`\n    ${is}\n    instead of\n    ${wanted}`);
    }
    // Computed styles take time, and nothing else changes them.
    if ([...arms, ...this.left].some(({ declarations }) => declarations[0])) {
      const difference = styled(arms, ours, twin, this.isGivenUp);
      if (difference) fail(difference);
    }
    if (isDone && this.translator && twin.isTranslated && /translator/.test(this.translator.way)) {
      const walker = ours.doc.createTreeWalker(ours.doc.body, 4);
      while (walker.nextNode()) {
        const { data, parentElement } = walker.currentNode;
        if (/OURS/.test(data) && !parentElement.closest("font,w")) fail(`${data} is not translated`);
      }
    }
  }

  /** Checks that nothing of the script is left in the document. */
  checkTraces() {
    const roots = this.ours.nodes.flatMap(({ shadowRoot }) => shadowRoot ?? []);
    const left = [this.ours.doc, ...roots].flatMap((root) => [...root.querySelectorAll("*")]);
    const traces = left.flatMap((each) => Object.keys(each));
    if (traces[0]) throw new Wrong(`left: ${traces}`);
  }
}

/** Plays a sequence. Returns a description of the failure, or undefined. */
async function wrong(open, { arms: given, batches, translator, fight, repeated, isAbrupt }) {
  let now = 0;
  const pages = [await open(BODY, { clock: () => now }), await open(BODY, { isPlain: true })];
  const pair = new Pair(pages[0], pages[1], translator);
  const arms = given.map((each, at) => new Arm(each.change, at + 1, each.isKept));
  try {
    for (const [at, batch] of batches.entries()) {
      // With time between the batches, the page's changes do not count as a fight.
      now += 10_000;
      for (const [index, arm] of arms.entries()) {
        if (given[index].to === at && pair.undos.has(arm)) {
          pair.remove(arm);
          if (pair.arms[0]) await turn();
          pair.check(`after arm ${index + 1} has left before batch ${at}`, false);
        }
        if (given[index].from === at) {
          pair.show(arm);
          if (pair.arms[1]) await turn();
          pair.check(`after arm ${index + 1} was shown before batch ${at}`, false);
        }
      }
      if (translator?.at === at) {
        pair.translate();
        await turn();
        pair.check(`after the translation before batch ${at}`);
      }
      for (const operation of batch) {
        pair.operate(operation);
        // A wrapper that is moved or removed in the same task looks as if each of its nodes was.
        if (pick(KINDS, operation[0]) === "wrapping all of it") await turn();
      }
      if (isAbrupt && at === batches.length - 1) break;
      await turn();
      pair.check(`after batch ${at}`);
      if (fight?.at === at) {
        await pair.fight(fight);
        pair.check(`after the fight in batch ${at}`);
      }
      if (repeated?.at === at) {
        await pair.repeat(repeated.operation);
        pair.check(`after the repetitions in batch ${at}`);
      }
    }
    for (const arm of pair.arms) pair.remove(arm);
    pair.check("at the end");
    await turn();
    pair.check("later");
    pair.checkTraces();
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    return error.message;
  } finally {
    for (const each of pages) each.win.frameElement.remove();
  }
}

/**
 * The sequence of a seed: one or two arms, up to eight batches of up to four operations, and in some a translator, a
 * fight, or an operation that is repeated.
 */
function sequenceOf(seed) {
  const next = numbers(seed);
  const isOne = (of) => next() % of === 0;
  const batches = Array.from({ length: 1 + (next() % 8) }, () =>
    Array.from({ length: 1 + (next() % 4) }, () => [next(), next(), next(), next(), next()]),
  );
  const at = () => next() % batches.length;
  const arms = Array.from({ length: isOne(3) ? 2 : 1 }, () => {
    const from = isOne(3) ? at() : 0;
    return { change: next(), isKept: !isOne(6), from, to: isOne(3) ? Math.max(from + 1, at()) : -1 };
  });
  const ways = Object.keys(WRAPPERS);
  return {
    batches,
    arms,
    // Where a change is made once, what a translator has made of it is not known from what the page has added since.
    translator:
      isOne(5) && arms.every(({ isKept }) => isKept)
        ? { at: at(), way: pick(ways, next()), isMarked: isOne(2) }
        : undefined,
    fight: isOne(4) ? { at: at(), arm: next(), kind: next(), text: `t${next() % 100_000}` } : undefined,
    repeated: isOne(8) ? { at: at(), operation: [next(), next(), next(), next(), next()] } : undefined,
    isAbrupt: isOne(4),
  };
}

/** Sequences with one thing less. */
function* shorter(sequence) {
  for (const part of ["translator", "fight", "repeated", "isAbrupt"]) {
    if (sequence[part]) yield { ...sequence, [part]: undefined };
  }
  if (sequence.arms[1])
    for (const at of [0, 1]) yield { ...sequence, arms: sequence.arms.filter((_, each) => each !== at) };
  for (const at of [...sequence.batches.keys()].reverse()) {
    for (const index of [...sequence.batches[at].keys()].reverse()) {
      const batches = sequence.batches.map((batch, each) =>
        each === at ? batch.filter((_, one) => one !== index) : batch,
      );
      yield { ...sequence, batches };
    }
  }
}

/** Leaves out what is not needed as long as the sequence still fails. */
async function shortened(open, sequence) {
  for (let isShorter = true; isShorter; ) {
    isShorter = false;
    for (const next of shorter(sequence)) {
      if (!(await wrong(open, next))) continue;
      sequence = next;
      isShorter = true;
      break;
    }
  }
  return sequence;
}

const operationText = ([kind, ...given]) => `${pick(KINDS, kind)} ${given.map((each) => each % 1000)}`;

function described({ arms, batches, translator, fight, repeated, isAbrupt }) {
  const parts = arms.map(
    ({ change, isKept, from, to }, at) => `${new Arm(change, at + 1, isKept)} from ${from} to ${to}`,
  );
  for (const [at, batch] of batches.entries())
    if (batch[0]) parts.push(`${at}: [${batch.map(operationText).join("; ")}]`);
  if (translator) parts.push(`${translator.way} at ${translator.at}${translator.isMarked ? ", marked" : ""}`);
  if (fight) parts.push(`fight ${JSON.stringify(fight)}`);
  if (repeated) parts.push(`${repeated.at}: ${REPETITIONS} times ${operationText(repeated.operation)}`);
  if (isAbrupt) parts.push("abrupt");
  return parts.join(" | ");
}

/** Cases for `count` sequences, with seeds from `seed` on. */
export const cases = ({ seed, count }) => {
  const all = {};
  for (let at = seed; at < seed + count; at++) {
    all[`seed ${at}`] = async ({ open }) => {
      const sequence = sequenceOf(at);
      const what = await wrong(open, sequence);
      if (what === undefined) return;
      const short = await shortened(open, sequence);
      equal(`${described(short)}: ${await wrong(open, short)}`, "", "shortest");
    };
  }
  return all;
};
