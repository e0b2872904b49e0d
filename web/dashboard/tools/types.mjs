// types: writes src/api/schema.d.ts, the types of the API, from contract/openapi.json. `--check` fails if the file does
// not match the contract. The result is committed, so type checking needs neither this package nor its TypeScript 5.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const args = process.argv.slice(2);
const check = args[0] === "--check";
const contract = args.find((arg) => !arg.startsWith("--")) ?? here("../../../contract/openapi.json");
const target = here("../src/api/schema.d.ts");

const document = JSON.parse(readFileSync(contract, "utf8"));
// Errors have one body everywhere, which the client reads into one type, and headers are read by name. Otherwise both
// would be most of the file.
for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
  for (const [status, response] of Object.entries(operation.responses ?? {})) {
    if (Number(status) >= 400) delete operation.responses[status];
    else delete response.headers;
  }
}
const types = await openapiTS(document, { alphabetize: true, emptyObjectsUnknown: true, defaultNonNullable: false });
const text = `// Generated from contract/openapi.json by tools/types.mjs. Run scripts/fresh --write to generate it again.\n\n${astToString(types)}`;

if (!check) {
  writeFileSync(target, text);
} else if (readFileSync(target, "utf8") !== text) {
  console.error(
    "web/dashboard/src/api/schema.d.ts is not what contract/openapi.json generates: run scripts/fresh --write and commit it.",
  );
  process.exitCode = 1;
}
