/** @jsxRuntime automatic */
// React, with the index as key: an element is used for one product after the other.

import { useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { cost, counted, goods, picture, shop, title } from "./shop.mjs";

const store = shop();

function List({ state }) {
  return (
    <>
      <p>
        <button id="sort" onClick={store.sort}>Sort</button> <button id="filter" onClick={store.filter}>In stock</button>{" "}
        <button id="add" onClick={store.add}>Add</button> <a id="go" href="/about" onClick={store.go}>About</a>
      </p>
      <p id="count">{counted(state)}</p>
      <ul id="list">
        {goods(state).map((each, at) => (
          <li key={at} data-sku={each.sku}>
            <img src={picture(each)} alt="" width="40" height="40" /> <span className="name">{each.name}</span> <b className="price">{cost(each)}</b>{" "}
            <button className="buy">Buy</button>
          </li>
        ))}
      </ul>
    </>
  );
}

function App() {
  const state = useSyncExternalStore(store.subscribe, store.get);
  return (
    <>
      <h1>{title(state)}</h1>
      {state.view === "list" ? <List state={state} /> : <p id="about">We have sold tools since spring.</p>}
    </>
  );
}

createRoot(document.getElementById("app")).render(<App />);
