// The browser part of React: hydrates the page, and its delayed part on request.

import { createElement, lazy } from "react";
import { hydrateRoot } from "react-dom/client";
import { App, Part } from "./react-app.mjs";

/** The errors that React reported. */
export const complaints = [];

/** Lets React hydrate the delayed part. */
export let openLate;

const late = new Promise((done) => (openLate = done));
const Late = lazy(() => late.then(() => ({ default: Part })));
const complain = (error) => complaints.push(String(error));

hydrateRoot(document.getElementById("root"), createElement(App, { Late }), {
  onRecoverableError: complain,
  onUncaughtError: complain,
});
