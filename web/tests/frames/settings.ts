// The settings that the server appends to the script, for the engine of changes on its own. This is imported first, as
// the modules read the settings at once.

Object.assign(globalThis, { SETTINGS: { global: "muriel" }, RULESET: { project_key: "shop" } });
