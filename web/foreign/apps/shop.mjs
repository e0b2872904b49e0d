// The content and the actions of the shop that every application of this folder shows. Each renders it with its
// framework.

const GOODS = [
  { sku: "a", name: "Axe", price: 40, inStock: true },
  { sku: "b", name: "Bow saw", price: 25, inStock: true },
  { sku: "c", name: "Cart", price: 90, inStock: false },
  { sku: "d", name: "Dibber", price: 8, inStock: true },
  { sku: "e", name: "Edger", price: 31, inStock: false },
];

/** Delay of the next view, in milliseconds. The address changes before it, as where a router loads code. */
const CHUNK_MS = 60;

/** The state of the shop, which alone determines what the page shows. */
export function shop() {
  const heard = new Set();
  let state = { isReversed: false, isShort: false, count: 0, view: "list" };
  const set = (next) => {
    state = { ...state, ...next };
    heard.forEach((each) => each(state));
  };
  const show = async (view) => {
    await new Promise((done) => setTimeout(done, CHUNK_MS));
    set({ view });
  };
  const viewOf = () => (location.pathname === "/about" ? "about" : "list");
  addEventListener("popstate", () => show(viewOf()));
  return {
    get: () => state,
    subscribe(hear) {
      heard.add(hear);
      return () => heard.delete(hear);
    },
    sort: () => set({ isReversed: !state.isReversed }),
    filter: () => set({ isShort: !state.isShort }),
    add: () => set({ count: state.count + 1 }),
    go(event) {
      event?.preventDefault();
      history.pushState({}, "", "/about");
      void show("about");
    },
  };
}

export function goods({ isReversed, isShort }) {
  const all = GOODS.filter(({ inStock }) => inStock || !isShort);
  return isReversed ? all.toReversed() : all;
}

export const title = ({ view }) => (view === "list" ? "Tools for the garden" : "About us");
export const counted = ({ count }) => `Things in the basket: ${count}`;
export const cost = ({ price }) => `${price} EUR`;
export const picture = ({ sku }) => `/img/${sku}.svg`;

const TOOLS = `<button id="sort">Sort</button> <button id="filter">In stock</button> <button id="add">Add</button> <a id="go" href="/about">About</a>`;

/** The page's HTML, for applications that set it themselves. `tools` are the buttons and links. */
export function markup(state, tools = TOOLS) {
  if (state.view === "about") return `<h1>${title(state)}</h1><p id="about">We have sold tools since spring.</p>`;
  const rows = goods(state).map(
    (each) =>
      `<li data-sku="${each.sku}"><img src="${picture(each)}" alt="" width="40" height="40"> <span class="name">${each.name}</span> <b class="price">${cost(each)}</b> <button class="buy">Buy</button></li>`,
  );
  return `<h1>${title(state)}</h1>
    <p>${tools}</p>
    <p id="count">${counted(state)}</p><ul id="list">${rows.join("")}</ul>`;
}
