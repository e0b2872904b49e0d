// Reads [[pattern, [text, …]], …] and writes [[[matches, …], milliseconds], …];
// a pattern that this engine refuses gives its message instead.
const cases = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const out = cases.map(([pattern, texts]) => {
  let expression;
  try {
    expression = new RegExp(pattern);
  } catch (error) {
    return [String(error), 0];
  }
  let slowest = 0;
  const matches = texts.map((text) => {
    // Time of this process: others may keep the machine busy.
    const before = process.cpuUsage();
    const matches = expression.test(text);
    const { user, system } = process.cpuUsage(before);
    slowest = Math.max(slowest, (user + system) / 1000);
    return matches;
  });
  return [matches, slowest];
});
process.stdout.write(JSON.stringify(out));
