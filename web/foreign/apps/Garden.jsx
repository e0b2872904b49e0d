import { Suspense, use, useState } from "react";

const GOODS = [["a", "Axe", 40], ["b", "Bow saw", 25], ["c", "Cart", 90], ["d", "Dibber", 8], ["e", "Edger", 31]];

function Delivery({ delivery }) {
  return <p id="delivery">{use(delivery)}</p>;
}

// The shop of applications in which React renders the whole document. `Link` is that of the application's router.
// `delivery` is a promise of text, which the server sends after the rest of the page.
export function Garden({ Link, delivery }) {
  const [isReversed, reverse] = useState(false);
  const [count, add] = useState(0);
  const goods = isReversed ? GOODS.toReversed() : GOODS;
  return (
    <main>
      <h1>Tools for the garden</h1>
      <p id="lead">Five tools, <i>each of them old</i></p>
      <p>
        <button id="sort" onClick={() => reverse(!isReversed)}>Sort</button> <button id="add" onClick={() => add(count + 1)}>Add</button>{" "}
        <Link id="go" to="/about">About</Link>
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
      <Suspense fallback={<p>The delivery time is being read</p>}>
        <Delivery delivery={delivery} />
      </Suspense>
    </main>
  );
}

export function About({ Link }) {
  return (
    <main>
      <h1>About us</h1>
      <p id="about">We have sold tools since spring.</p>
      <Link id="home" to="/">Home</Link>
    </main>
  );
}

export const delivered = () => new Promise((done) => setTimeout(done, 100, "Delivered in three days"));
