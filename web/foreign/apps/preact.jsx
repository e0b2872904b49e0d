/** @jsxRuntime automatic */
/** @jsxImportSource preact */
// Preact, without keys.

import { render } from "preact";
import { cost, counted, goods, picture, shop, title } from "./shop.mjs";

const store = shop();
const root = document.getElementById("app");

const Row = (each) => (
  <li data-sku={each.sku}>
    <img src={picture(each)} alt="" width="40" height="40" /> <span class="name">{each.name}</span> <b class="price">{cost(each)}</b>{" "}
    <button class="buy">Buy</button>
  </li>
);

const App = ({ state }) =>
  state.view === "about" ? (
    <><h1>{title(state)}</h1><p id="about">We have sold tools since spring.</p></>
  ) : (
    <>
      <h1>{title(state)}</h1>
      <p>
        <button id="sort" onClick={store.sort}>Sort</button> <button id="filter" onClick={store.filter}>In stock</button>{" "}
        <button id="add" onClick={store.add}>Add</button> <a id="go" href="/about" onClick={store.go}>About</a>
      </p>
      <p id="count">{counted(state)}</p>
      <ul id="list">{goods(state).map(Row)}</ul>
    </>
  );

const draw = (state) => render(<App state={state} />, root);
store.subscribe(draw);
draw(store.get());
