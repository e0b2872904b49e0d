// Records an exposure in Muriel whenever a flag puts a visitor into an arm of an experiment. Works with the server SDK and
// with the web SDK. `key` has the scope `write`; leave it out in browsers, which must not have keys.
export function exposureHook({ site, project, key, onError = console.error }) {
  const recorded = new Set();

  async function send(body) {
    const headers = { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) };
    for (let attempt = 1; ; attempt++) {
      // The same id every time, so that an answer that was lost does not count twice.
      const answer = await fetch(`${site}/events/${project}`, { method: "POST", headers, body, keepalive: true }).catch(
        (error) => error,
      );
      if (answer.ok) return;
      if (answer.status < 500 || attempt === 5) throw answer instanceof Error ? answer : new Error(await answer.text());
      await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** attempt));
    }
  }

  return {
    after({ context }, { reason, flagMetadata: { in_experiment, test_id, variant_id, epoch } }) {
      // What a provider has kept from an earlier visit may have changed since: the experiment may have ended.
      if (!in_experiment || reason === "CACHED") return;
      // Results count a visitor's first exposure; this only saves requests.
      const seen = JSON.stringify([context.targetingKey, test_id, variant_id, epoch]);
      if (recorded.has(seen)) return;
      if (recorded.size === 10_000) recorded.clear();
      recorded.add(seen);
      const exposure = {
        id: crypto.randomUUID(),
        type: "exposure",
        at: new Date().toISOString(),
        test_id,
        variant_id,
        epoch,
      };
      send(JSON.stringify({ visitor: { id: context.targetingKey }, events: [exposure] })).catch(onError);
    },
  };
}
