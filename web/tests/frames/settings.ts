// The settings that the server appends to the script, for the engine of changes without it. Imported first, as the script reads them at once.

Object.assign(globalThis, { SETTINGS: { global: "muriel" }, RULESET: { project_key: "shop" } });
