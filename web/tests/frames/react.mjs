// The application's part in the browser.

import { createElement } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { flushSync } from "react-dom";
import { App } from "./app.mjs";

/** Errors that React could not handle, and those that it came over. */
export const caught = [];
export const recovered = [];

/** Sets some of the application's state at once; undefined as long as it is not shown. */
export let update;

let root;

let took;
/** Kept once the application is taken over: its parts are what React made of the page. */
export const taken = new Promise((done) => (took = done));

const element = () => createElement(App, { told: (given) => took((update = given)) });
const container = () => document.getElementById("root");
const heard = {
  onUncaughtError: (error) => caught.push(String(error)),
  onRecoverableError: (error) => recovered.push(String(error)),
};

/** Takes over what the server has rendered. */
export function hydrate() {
  root = hydrateRoot(container(), element(), heard);
}

export function unmount() {
  flushSync(() => root.unmount());
  update = undefined;
}

/** Begins anew, without what the server has rendered. */
export function render() {
  root = createRoot(container(), heard);
  root.render(element());
}
