/** @jsxRuntime automatic */
// React with Redux, each row connected by itself, and keys.

import { configureStore, createSlice } from "@reduxjs/toolkit";
import { createRoot } from "react-dom/client";
import { Provider, useSelector } from "react-redux";
import { cost, counted, goods, picture, shop, title } from "./shop.mjs";

const source = shop();
const slice = createSlice({ name: "shop", initialState: source.get(), reducers: { set: (_, { payload }) => payload } });
const store = configureStore({ reducer: slice.reducer });
source.subscribe((state) => store.dispatch(slice.actions.set(state)));

function Row({ sku }) {
  const each = useSelector((state) => goods(state).find((other) => other.sku === sku));
  return (
    <li data-sku={sku}>
      <img src={picture({ sku })} alt="" width="40" height="40" /> <span className="name">{each?.name}</span> <b className="price">{each && cost(each)}</b>{" "}
      <button className="buy">Buy</button>
    </li>
  );
}

function App() {
  const state = useSelector((all) => all);
  if (state.view === "about") return <div><h1>{title(state)}</h1><p id="about">We have sold tools since spring.</p></div>;
  return (
    <div>
      <h1>{title(state)}</h1>
      <p>
        <button id="sort" onClick={source.sort}>Sort</button> <button id="filter" onClick={source.filter}>In stock</button>{" "}
        <button id="add" onClick={source.add}>Add</button> <a id="go" href="/about" onClick={source.go}>About</a>
      </p>
      <p id="count">{counted(state)}</p>
      <ul id="list">{goods(state).map(({ sku }) => <Row key={sku} sku={sku} />)}</ul>
    </div>
  );
}

createRoot(document.getElementById("app")).render(<Provider store={store}><App /></Provider>);
