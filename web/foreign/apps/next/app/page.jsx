"use client";

import Link from "next/link";
import { useState } from "react";

const GOODS = [["a", "Axe", 40], ["b", "Bow saw", 25], ["c", "Cart", 90], ["d", "Dibber", 8], ["e", "Edger", 31]];

export default function Page() {
  const [isReversed, reverse] = useState(false);
  const [count, add] = useState(0);
  const goods = isReversed ? GOODS.toReversed() : GOODS;
  return (
    <main>
      <h1>Tools for the garden</h1>
      <p>
        <button id="sort" onClick={() => reverse(!isReversed)}>Sort</button> <button id="add" onClick={() => add(count + 1)}>Add</button>{" "}
        <Link id="go" href="/about">About</Link>
      </p>
      <p id="count">Things in the basket: {count}</p>
      <ul id="list">
        {goods.map(([sku, name, price], at) => (
          <li key={at} data-sku={sku}>
            <img src={`/img/${sku}.svg`} alt="" width="40" height="40" /> <span className="name">{name}</span> <b className="price">{price} EUR</b>{" "}
            <button className="buy">Buy</button>
          </li>
        ))}
      </ul>
    </main>
  );
}
