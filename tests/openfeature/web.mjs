// The web SDK for JavaScript with the published OFREP provider: everything at once, for one visitor.

import { readFileSync } from "node:fs";
import { exposureHook } from "../../docs/openfeature/exposure-hook.mjs";
import { bearer, check, equal, failed, holds, packages, scene, seen } from "./cases.mjs";

const { OpenFeature } = packages("@openfeature/web-sdk");
const { OFREPWebProvider } = packages("@openfeature/ofrep-web-provider");

/** Requests and their responses, recorded from the real `fetch`. */
const calls = [];

async function recorded(input, init) {
  const request = new Request(input, init);
  const known = request.headers.get("if-none-match");
  const response = await fetch(request);
  calls.push({ status: response.status, known, tag: response.headers.get("etag") });
  return response;
}

async function until(what, isSo) {
  for (const end = Date.now() + 10_000; !isSo(); ) {
    holds(Date.now() < end, `${what} did not happen`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function provider(headers, options) {
  const fixed = { baseUrl: scene.base, headers, cacheMode: "disabled", fetchImplementation: recorded };
  return new OFREPWebProvider({ ...fixed, ...options });
}

const [first, second] = scene.visitors;
await OpenFeature.setContext("good", { targetingKey: first });
await OpenFeature.setProviderAndWait("good", provider(bearer(scene.key)));
const good = OpenFeature.getClient("good");

await check("one call brings every flag", async () => {
  equal(
    calls.map((call) => call.status),
    [200],
  );
  const details = good.getStringDetails("split", "none");
  equal([details.reason, details.variant, details.flagMetadata.in_experiment], ["SPLIT", details.value, true]);
  equal(details.flagMetadata.test_id, scene.ids.split);
  equal(seen(good.getStringDetails("winner", "none")), ["Variant 1", "STATIC", false]);
  equal(seen(good.getStringDetails("danes", "none")), ["Control", "DEFAULT", false]);
  equal(good.getStringDetails("pages", "none").flagMetadata.unenforced, "cookie_rule");
  equal(calls.length, 1);
});

await check("what does not run, or is unknown, is the default", async () => {
  for (const key of ["paused", "draft", "nobody-has-this"]) {
    equal(failed(good.getStringDetails(key, "none")), ["none", "FLAG_NOT_FOUND"]);
  }
});

await check("another type is the default", async () => {
  equal(failed(good.getBooleanDetails("split", false)), [false, "TYPE_MISMATCH"]);
});

await check("another context is asked for", async () => {
  await OpenFeature.setContext("good", { targetingKey: second, country: "DK" });
  equal(calls.length, 2);
  equal(good.getStringDetails("danes", "none").flagMetadata.in_experiment, true);
});

await check("the documented hook records who met an arm, without a key", async () => {
  await OpenFeature.setContext("hooked", { targetingKey: "met-by-web.mjs" });
  await OpenFeature.setProviderAndWait("hooked", provider(bearer(scene.key)));
  const hooked = OpenFeature.getClient("hooked");
  hooked.addHooks(exposureHook({ ...scene.events, onError: (error) => holds(false, error.message) }));
  for (const key of ["hooked", "hooked", "winner", "nobody-has-this"]) hooked.getStringValue(key, "none");
});

/** The storage of the provider, which persists between two visits. */
const kept = new Map();
globalThis.localStorage = {
  getItem: (name) => kept.get(name) ?? null,
  setItem: (name, value) => void kept.set(name, String(value)),
  removeItem: (name) => void kept.delete(name),
};

const guide = readFileSync(new URL("../../docs/openfeature.md", import.meta.url), "utf8");
const [, documented] = /^## JavaScript in a browser$[\s\S]*?^```js$([\s\S]*?)^```$/m.exec(guide);

/** Runs the browser sample of the guide unchanged. Returns the variant that it shows to the visitor. */
async function visit(visitorId) {
  OpenFeature.getClient().clearHooks();
  const names = { OpenFeature, OFREPWebProvider, exposureHook, ...scene.events, evaluateKey: scene.key, visitorId };
  const program = documented.replaceAll(/^import .*$/gm, "");
  const { constructor: AsyncFunction } = async () => {};
  return AsyncFunction(...Object.keys(names), `${program}\nreturn arm;`)(...Object.values(names));
}

async function setStatus(test_id, status) {
  const answer = await fetch(`${scene.base}/experiment/${test_id}/status`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${scene.writer}`, "content-type": "application/json" },
    body: JSON.stringify({ status }),
  });
  equal(answer.status, 200);
}

await check("the documented sample shows nothing of an earlier visit, and counts nothing of it", async () => {
  equal(await visit("met-by-sample"), "Variant 1");
  // For the next case: the cache of a client with the provider's default settings, for another visitor.
  const defaults = { cacheMode: undefined, fetchImplementation: undefined };
  await OpenFeature.setContext("kept", { targetingKey: "met-by-cache" });
  await OpenFeature.setProviderAndWait("kept", provider(bearer(scene.key), defaults));
  await until("the flags are kept", () => kept.size > 0);
  await setStatus(scene.ids.documented, 0);
  equal(await visit("met-by-sample"), "Control");
});

await check("the documented hook does not count what a provider has kept", async () => {
  // The provider's default settings, and a network that does not respond before the flag is read.
  await OpenFeature.setContext("kept", { targetingKey: "met-by-cache" });
  const stale = { cacheMode: undefined, fetchImplementation: () => new Promise(() => {}) };
  await OpenFeature.setProviderAndWait("kept", provider(bearer(scene.key), stale));
  const client = OpenFeature.getClient("kept");
  client.addHooks(exposureHook({ ...scene.events, onError: (error) => holds(false, error.message) }));
  equal(seen(client.getStringDetails("shorter-checkout-form", "none")), ["Variant 1", "CACHED", true]);
});

await check("a flag that is polled for is sent once, and again when it changes", async () => {
  calls.length = 0;
  await OpenFeature.setContext("polling", { targetingKey: first });
  await OpenFeature.setProviderAndWait("polling", provider(bearer(scene.key), { pollInterval: 50 }));
  const polling = OpenFeature.getClient("polling");
  const shown = polling.getStringValue("changing", "none");
  equal(shown, "Variant 1");
  await until("a second 304", () => calls.filter((call) => call.status === 304).length >= 2);
  equal(calls.filter((call) => call.status === 200).length, 1);
  const [{ tag }] = calls;
  holds(
    calls.slice(1).every((call) => call.known === tag),
    "If-None-Match is not the ETag",
  );
  equal(polling.getStringValue("changing", "none"), shown);
  await setStatus(scene.ids.changing, 0);
  await until("the change", () => polling.getStringValue("changing", "none") === "none");
  await OpenFeature.setProviderAndWait("polling", provider(bearer(scene.key)));
});

await check("a visitor without a key is an error and the default", async () => {
  await OpenFeature.setContext("keyless", {});
  let refused;
  await OpenFeature.setProviderAndWait("keyless", provider(bearer(scene.key))).catch((error) => (refused = error));
  // This client reports only the status, not the message in the body.
  equal([calls.at(-1).status, refused?.code], [400, "GENERAL"]);
  equal(OpenFeature.getClient("keyless").getStringValue("split", "none"), "none");
});

await check("a wrong key and one without the scope are an error and the default", async () => {
  for (const [name, key] of [
    ["wrong", "wrong"],
    ["scope", scene.reader],
  ]) {
    await OpenFeature.setContext(name, { targetingKey: first });
    let refused;
    await OpenFeature.setProviderAndWait(name, provider(bearer(key))).catch((error) => (refused = error));
    holds(refused instanceof Error, "the provider is ready");
    equal(OpenFeature.getClient(name).getStringValue("split", "none"), "none");
  }
});

const variants = {};
for (const targetingKey of scene.visitors) {
  await OpenFeature.setContext("good", { targetingKey });
  variants[targetingKey] = good.getStringValue("split", "none");
}
console.log(`variants ${JSON.stringify(variants)}`);
await OpenFeature.close();
