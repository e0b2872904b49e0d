// The browser part of the React application.

import { createElement } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { flushSync } from "react-dom";
import { App } from "./app.mjs";

/** Errors that React could not handle, and those from which it recovered. */
export const caught = [];
export const recovered = [];

/** Updates the application's state synchronously; undefined until the application is shown. */
export let update;

let root;

let took;
/** Resolves once the application is hydrated. */
export const taken = new Promise((done) => (took = done));

const element = () => createElement(App, { told: (given) => took((update = given)) });
const container = () => document.getElementById("root");
const heard = {
  onUncaughtError: (error) => caught.push(String(error)),
  onRecoverableError: (error) => recovered.push(String(error)),
};

/** Hydrates what the server has rendered. */
export function hydrate() {
  root = hydrateRoot(container(), element(), heard);
}

export function unmount() {
  flushSync(() => root.unmount());
  update = undefined;
}

/** Renders from scratch, without the content that the server has rendered. */
export function render() {
  root = createRoot(container(), heard);
  root.render(element());
}
