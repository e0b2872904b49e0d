// Ember, with templates compiled in the page. The list is keyed by position, so that elements are reused for other
// products.

import { on } from "ember-source/@ember/modifier/index.js";
import { trackedObject } from "ember-source/@ember/reactive/collections.js";
import { renderComponent } from "ember-source/@ember/renderer/index.js";
import { template } from "ember-source/@ember/template-compiler/runtime.js";
import { cost, counted, goods, picture, shop, title } from "./shop.mjs";

const store = shop();
const state = trackedObject({ ...store.get() });
store.subscribe((next) => Object.assign(state, next));

const isList = ({ view }) => view === "list";
const { sort, filter, add, go } = store;

const Shop = template(
  `<h1>{{title @state}}</h1>
  {{#if (isList @state)}}
    <p><button id="sort" {{on "click" sort}}>Sort</button> <button id="filter" {{on "click" filter}}>In stock</button>
      <button id="add" {{on "click" add}}>Add</button> <a id="go" href="/about" {{on "click" go}}>About</a></p>
    <p id="count">{{counted @state}}</p>
    <ul id="list">{{#each (goods @state) key="@index" as |each|}}<li data-sku={{each.sku}}><img src={{picture each}} alt="" width="40" height="40">
      <span class="name">{{each.name}}</span> <b class="price">{{cost each}}</b> <button class="buy">Buy</button></li>{{/each}}</ul>
  {{else}}<p id="about">We have sold tools since spring.</p>{{/if}}`,
  { scope: () => ({ title, isList, counted, goods, picture, cost, on, sort, filter, add, go }) },
);

renderComponent(Shop, { into: document.getElementById("app"), args: { state } });
