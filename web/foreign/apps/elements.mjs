// Custom elements without a library or shadow roots: one for each row, which reads its attributes. They are defined
// after the page is parsed.

import { cost, goods, markup, picture, shop } from "./shop.mjs";

const store = shop();

class GardenRow extends HTMLElement {
  static observedAttributes = ["data-sku"];

  attributeChangedCallback() {
    const each = goods({}).find(({ sku }) => sku === this.dataset.sku);
    this.innerHTML = `<img src="${picture(each)}" alt="" width="40" height="40"> <span class="name">${each.name}</span> <b class="price">${cost(each)}</b> <button class="buy">Buy</button>`;
  }
}

class GardenShop extends HTMLElement {
  connectedCallback() {
    this.draw(store.get());
    store.subscribe((state) => this.draw(state));
    for (const act of ["sort", "filter", "add", "go"])
      this.addEventListener("click", (event) => event.target.id === act && store[act](event));
  }

  draw(state) {
    if (state.view === "about" || !this.querySelector("garden-row")) {
      this.innerHTML = markup(state)
        .replaceAll("<li", '<garden-row style="display: block"')
        .replaceAll("</li>", "</garden-row>");
      return;
    }
    this.querySelector("#count").textContent = `Things in the basket: ${state.count}`;
    const rows = [...this.querySelectorAll("garden-row")];
    const wanted = goods(state);
    // Rows are reused for other products. Surplus rows are removed, missing rows are added.
    wanted.forEach(({ sku }, at) => {
      const row =
        rows[at] ??
        this.querySelector("#list").appendChild(
          Object.assign(document.createElement("garden-row"), { style: "display: block" }),
        );
      if (row.dataset.sku !== sku) row.dataset.sku = sku;
    });
    rows.slice(wanted.length).forEach((row) => row.remove());
  }
}

customElements.define("garden-row", GardenRow);
customElements.define("garden-shop", GardenShop);
