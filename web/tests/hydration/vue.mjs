// The browser part of Vue. Vue reports errors on the console.

import { app } from "./vue-app.mjs";

export const complaints = [];

app().mount(document.querySelector("#app, #custom"));
