// Vue, with templates compiled in the page and `v-for` without keys.

import { createApp, shallowRef } from "vue/dist/vue.esm-bundler.js";
import { cost, counted, goods, picture, shop, title } from "./shop.mjs";

const store = shop();

createApp({
  setup() {
    const state = shallowRef(store.get());
    store.subscribe((next) => (state.value = next));
    return { state, store, cost, counted, goods, picture, title };
  },
  template: `<h1>{{ title(state) }}</h1>
    <template v-if="state.view === 'list'">
      <p><button id="sort" @click="store.sort">Sort</button> <button id="filter" @click="store.filter">In stock</button>
        <button id="add" @click="store.add">Add</button> <a id="go" href="/about" @click="store.go">About</a></p>
      <p id="count">{{ counted(state) }}</p>
      <ul id="list">
        <li v-for="each in goods(state)" :data-sku="each.sku">
          <img :src="picture(each)" alt="" width="40" height="40"> <span class="name">{{ each.name }}</span>
          <b class="price">{{ cost(each) }}</b> <button class="buy">Buy</button>
        </li>
      </ul>
    </template>
    <p v-else id="about">We have sold tools since spring.</p>`,
}).mount("#app");
