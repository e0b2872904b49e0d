// Vue's part in the browser. It complains in the console.

import { app } from "./vue-app.mjs";

export const complaints = [];

app().mount(document.querySelector("#app, #custom"));
