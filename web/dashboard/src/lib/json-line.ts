// Finds the line where a text stops being JSON. Browsers report it in different words, or not at all.

const BLANK = /[ \t\n\r]*/y;
const TEXT = String.raw`"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"`;
const KEY = new RegExp(TEXT, "uy");
const SCALAR = new RegExp(String.raw`${TEXT}|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+\-]?\d+)?|true|false|null`, "uy");

/** Line of the first character that is not valid, counted from 1; undefined for valid JSON. */
export function jsonErrorLine(text: string): number | undefined {
  const at = errorPlace(text);
  return at === undefined ? undefined : text.slice(0, at).split("\n").length;
}

class Misplaced extends Error {
  constructor(readonly at: number) {
    super();
  }
}

function errorPlace(text: string): number | undefined {
  const skip = (pattern: RegExp, from: number) => {
    pattern.lastIndex = from;
    return pattern.test(text) ? pattern.lastIndex : undefined;
  };
  const blank = (from: number) => skip(BLANK, from) as number;
  const expect = (character: string, at: number) => {
    if (text[at] !== character) throw new Misplaced(at);
    return blank(at + 1);
  };
  const needed = (pattern: RegExp, at: number) => {
    const end = skip(pattern, at);
    if (end === undefined) throw new Misplaced(at);
    return blank(end);
  };
  const items = (at: number, close: string, item: (at: number) => number): number => {
    let next = blank(at + 1);
    if (text[next] === close) return blank(next + 1);
    for (;;) {
      next = item(next);
      if (text[next] === close) return blank(next + 1);
      next = expect(",", next);
    }
  };
  const value = (at: number): number => {
    if (text[at] === "[") return items(at, "]", value);
    if (text[at] === "{") return items(at, "}", (key) => value(expect(":", needed(KEY, key))));
    return needed(SCALAR, at);
  };
  try {
    const end = value(blank(0));
    return end === text.length ? undefined : end;
  } catch (thrown) {
    return thrown instanceof Misplaced ? thrown.at : 0;
  }
}
