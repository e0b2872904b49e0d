// React's part in the browser: takes the page over when told to, and its later part when told to.

import { createElement, lazy } from "react";
import { hydrateRoot } from "react-dom/client";
import { App, Part } from "./react-app.mjs";

/** What React complained of. */
export const complaints = [];

/** Lets the later part be taken over. */
export let openLate;

const late = new Promise((done) => (openLate = done));
const Late = lazy(() => late.then(() => ({ default: Part })));
const complain = (error) => complaints.push(String(error));

hydrateRoot(document.getElementById("root"), createElement(App, { Late }), {
  onRecoverableError: complain,
  onUncaughtError: complain,
});
