// An OpenID provider on a free port of this machine. Its accounts are in the argument. Its faults are set on standard
// input, one word per line. It responds to each with a line of JSON that has the number of times that its keys were
// requested.
//
// expired, old, future, nonce, audience, party, issuer: the ID token is wrong in this respect, but has a valid
// signature. stranger: the signature is by a key that the provider does not have. unsigned: there is no signature.
// rotated: the provider has another key from then on. down: it responds with errors only. good: it works correctly
// again.

import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from "jose";
import Provider from "oidc-provider";

const { accounts, client, redirect } = JSON.parse(process.argv[2]);

async function key(kid) {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  const about = { kid, alg: "RS256", use: "sig" };
  return {
    kid,
    privateKey,
    publicJwk: { ...(await exportJWK(publicKey)), ...about },
    privateJwk: { ...(await exportJWK(privateKey)), ...about },
  };
}

let mode = "good";
let asked = 0;
let current = await key("first");
const stranger = await key("first");

const server = createServer();
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: [{ ...client, redirect_uris: [redirect], grant_types: ["authorization_code"], response_types: ["code"] }],
  jwks: { keys: [current.privateJwk] },
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
  cookies: { keys: ["a key for cookies of a test"] },
  findAccount: (_, sub) => accounts[sub] && { accountId: sub, claims: () => ({ sub, ...accounts[sub] }) },
});
provider.on("server_error", (_, error) => console.error(error));

async function otherwise(token) {
  const claims = decodeJwt(token);
  const now = Math.floor(Date.now() / 1000);
  const changed = {
    expired: { exp: now - 61, iat: now - 120 },
    old: { iat: now - 800 },
    future: { iat: now + 300 },
    nonce: { nonce: "another" },
    audience: { aud: "another" },
    party: { aud: [client.client_id, "another"], azp: "another" },
    issuer: { iss: "https://id.example" },
  };
  const signer = mode === "stranger" ? stranger : current;
  if (mode === "unsigned") {
    const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
    return `${part({ alg: "none" })}.${part(claims)}.`;
  }
  return new SignJWT({ ...claims, ...changed[mode] })
    .setProtectedHeader({ alg: "RS256", kid: signer.kid })
    .sign(signer.privateKey);
}

provider.use(async (ctx, next) => {
  if (mode === "down") {
    ctx.status = 503;
    ctx.body = { error: "down" };
    return;
  }
  await next();
  if (ctx.path === "/jwks") {
    asked += 1;
    ctx.body = { keys: [current.publicJwk] };
  }
  if (ctx.path === "/token" && ctx.body?.id_token) {
    ctx.body = { ...ctx.body, id_token: await otherwise(ctx.body.id_token) };
  }
});
server.on("request", provider.callback());

console.log(JSON.stringify({ issuer }));
for await (const word of createInterface({ input: process.stdin })) {
  if (word === "rotated") {
    current = await key(`key ${Date.now()}`);
  }
  mode = word;
  console.log(JSON.stringify({ asked }));
}
process.exit(0);
