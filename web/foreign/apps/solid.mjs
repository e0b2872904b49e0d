// Solid, with tagged template literals and `Index`, which keeps one element for each position in the list.

import { createSignal, Index, Show } from "solid-js";
import html from "solid-js/html";
import { render } from "solid-js/web";
import { cost, counted, goods, picture, shop, title } from "./shop.mjs";

const store = shop();
const [state, set] = createSignal(store.get());
store.subscribe(set);

const row = (each) =>
  html`<li data-sku=${() => each().sku}><img src=${() => picture(each())} alt="" width="40" height="40" /> <span class="name">${() => each().name}</span> <b class="price">${() => cost(each())}</b> <button class="buy">Buy</button></li>`;

const list =
  () => html`<p><button id="sort" onClick=${store.sort}>Sort</button> <button id="filter" onClick=${store.filter}>In stock</button> <button id="add" onClick=${store.add}>Add</button> <a id="go" href="/about" onClick=${store.go}>About</a></p>
  <p id="count">${() => counted(state())}</p>
  <ul id="list"><${Index} each=${() => goods(state())}>${(each) => row(each)}<//></ul>`;

render(
  () =>
    html`<h1>${() => title(state())}</h1><${Show} when=${() => state().view === "list"} fallback=${() => html`<p id="about">We have sold tools since spring.</p>`}>${list}<//>`,
  document.getElementById("app"),
);
