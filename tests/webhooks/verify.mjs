// The published library for JavaScript. Reads cases of [secret, headers, body] and prints for each whether it is
// accepted.
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const accepts = ([secret, headers, body]) => {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
};

console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(accepts)));
