// Alpine, with attributes in the page; `x-for` without keys.

import Alpine from "alpinejs";
import { cost, counted, goods, picture, shop, title } from "./shop.mjs";

const store = shop();
Alpine.data("shop", () => ({
  state: store.get(),
  store,
  cost,
  counted,
  goods,
  picture,
  title,
  init() {
    store.subscribe((state) => (this.state = state));
  },
}));
Alpine.start();
