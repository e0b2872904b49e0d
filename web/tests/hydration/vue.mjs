// Vue's part in the browser. Vue reports errors on the console.

import { app } from "./vue-app.mjs";

export const complaints = [];

app().mount(document.querySelector("#app, #custom"));
