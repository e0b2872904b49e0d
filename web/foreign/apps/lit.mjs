// Lit: a custom element with a shadow root, and a list without keys.

import { html, LitElement } from "lit";
import { cost, counted, goods, picture, shop, title } from "./shop.mjs";

const store = shop();

class GardenShop extends LitElement {
  connectedCallback() {
    super.connectedCallback();
    store.subscribe(() => this.requestUpdate());
  }

  render() {
    const state = store.get();
    if (state.view === "about") return html`<h1>${title(state)}</h1><p id="about">We have sold tools since spring.</p>`;
    return html`<h1>${title(state)}</h1>
      <p><button id="sort" @click=${store.sort}>Sort</button> <button id="filter" @click=${store.filter}>In stock</button>
        <button id="add" @click=${store.add}>Add</button> <a id="go" href="/about" @click=${store.go}>About</a></p>
      <p id="count">${counted(state)}</p>
      <ul id="list">${goods(state).map(
        (each) => html`<li data-sku=${each.sku}>
        <img src=${picture(each)} alt="" width="40" height="40"> <span class="name">${each.name}</span>
        <b class="price">${cost(each)}</b> <button class="buy">Buy</button></li>`,
      )}</ul>`;
  }
}
customElements.define("garden-shop", GardenShop);
