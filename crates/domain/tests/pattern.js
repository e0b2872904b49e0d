// Reads [[pattern, [text, …]], …] and writes [[[matches, …], milliseconds], …];
// a pattern that this engine refuses gives its message instead.
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
const out = cases.map(([pattern, texts]) => {
  let expression;
  try {
    expression = new RegExp(pattern);
  } catch (error) {
    return [String(error), 0];
  }
  let slowest = 0;
  const matches = texts.map((text) => {
    // The shorter of two runs: a busy machine can interrupt one.
    let shorter = Infinity;
    let matches;
    for (let run = 0; run < 2; run += 1) {
      const start = performance.now();
      matches = expression.test(text);
      shorter = Math.min(shorter, performance.now() - start);
      if (shorter < 5) break;
    }
    slowest = Math.max(slowest, shorter);
    return matches;
  });
  return [matches, slowest];
});
process.stdout.write(JSON.stringify(out));
