// The server SDK for JavaScript with the published OFREP provider.

import { exposureHook } from "../../docs/openfeature/exposure-hook.mjs";
import { bearer, check, equal, failed, holds, packages, scene, seen } from "./cases.mjs";

const { OpenFeature } = packages("@openfeature/server-sdk");
const { OFREPProvider } = packages("@openfeature/ofrep-provider");

async function client(name, headers) {
  await OpenFeature.setProviderAndWait(name, new OFREPProvider({ baseUrl: scene.base, headers }));
  return OpenFeature.getClient(name);
}

const good = await client("good", bearer(scene.key));
const visitor = { targetingKey: scene.visitors[0] };

await check("a visitor is in an arm, with metadata", async () => {
  const details = await good.getStringDetails("split", "none", visitor);
  holds(["Control", "Variant 1"].includes(details.value), details.value);
  equal(details.variant, details.value);
  equal(details.reason, "SPLIT");
  equal(details.flagMetadata, {
    test_id: scene.ids.split,
    variant_id: details.value === "Control" ? "0" : "1",
    epoch: 1,
    in_experiment: true,
    reason: "split",
    unenforced: "",
  });
});

await check("a winner is served", async () => {
  equal(seen(await good.getStringDetails("winner", "none", visitor)), ["Variant 1", "STATIC", false]);
});

await check("what does not run is disabled", async () => {
  for (const key of ["paused", "draft"]) {
    equal(seen(await good.getStringDetails(key, "none", visitor)), ["Control", "DISABLED", false]);
  }
});

await check("targeting keeps out and lets in", async () => {
  const from = (country) => good.getStringDetails("danes", "none", { ...visitor, country });
  equal(seen(await from("SE")), ["Control", "DEFAULT", false]);
  equal((await from("DK")).flagMetadata.in_experiment, true);
});

await check("rules for pages are named", async () => {
  equal((await good.getStringDetails("pages", "none", visitor)).flagMetadata.unenforced, "cookie_rule");
});

await check("an unknown flag is the default", async () => {
  equal(failed(await good.getStringDetails("nobody-has-this", "none", visitor)), ["none", "FLAG_NOT_FOUND"]);
});

await check("a visitor without a key is the default", async () => {
  equal(failed(await good.getStringDetails("split", "none", {})), ["none", "TARGETING_KEY_MISSING"]);
});

await check("a context of wrong types is the default", async () => {
  const details = await good.getStringDetails("split", "none", { ...visitor, country: 7 });
  equal(failed(details), ["none", "INVALID_CONTEXT"]);
});

await check("dates, lists and numbers of an application do no harm", async () => {
  const context = { ...visitor, since: new Date(), basket: [1, "two"], nested: { deep: true }, age: 41.5 };
  equal((await good.getStringDetails("split", "none", context)).reason, "SPLIT");
});

await check("another type is the default", async () => {
  equal(failed(await good.getBooleanDetails("split", false, visitor)), [false, "TYPE_MISMATCH"]);
  equal(failed(await good.getNumberDetails("split", 7, visitor)), [7, "TYPE_MISMATCH"]);
});

await check("a wrong key and one without the scope are the default", async () => {
  for (const key of ["wrong", scene.reader]) {
    const other = await client("other", bearer(key));
    equal(failed(await other.getStringDetails("split", "none", visitor)), ["none", "GENERAL"]);
  }
});

await check("the key may come as X-API-Key", async () => {
  const other = await client("header", { "X-API-Key": scene.key });
  equal((await other.getStringDetails("split", "none", visitor)).reason, "SPLIT");
});

await check("the documented hook records who met an arm, once", async () => {
  const hooked = OpenFeature.getClient("good");
  hooked.addHooks(
    exposureHook({ ...scene.events, key: scene.writer, onError: (error) => holds(false, error.message) }),
  );
  for (const key of ["hooked", "hooked", "winner", "paused", "nobody-has-this"]) {
    await hooked.getStringValue(key, "none", { targetingKey: "met-by-server.mjs" });
  }
});

const variants = {};
for (const targetingKey of scene.visitors) {
  variants[targetingKey] = await good.getStringValue("split", "none", { targetingKey });
}
console.log(`variants ${JSON.stringify(variants)}`);
await OpenFeature.close();
