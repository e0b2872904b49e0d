// The pages of the shop: for each its path, and the content that `page` turns into a document.

import { CATEGORIES, GOODS, RENTAL, euro, goodOf, kitFor } from "./goods.mjs";
import { crumbs, text, tile } from "./page.mjs";

const tiles = (ids, level) => `<ul class="products">\n${ids.map((id) => tile(goodOf(id), level)).join("\n")}\n</ul>`;

const home = {
  path: "/",
  title: "Clothes and kit for the north",
  description: "Boots, jackets, tents and stoves that are repaired for as long as you walk.",
  main: `<section class="hero">
<img src="/img/hero.svg" alt="" width="1200" height="700" fetchpriority="high">
<div>
<h1>Made for the days between seasons.</h1>
<p>Boots, shells and stoves from people who come home wet.</p>
<a class="button" href="/jackets">See the jackets</a>
</div>
</section>
<section class="for-you">
<div><h2>Not sure what to take?</h2><p>Answer three questions and rent the whole kit for a weekend.</p></div>
<a class="button quiet" href="/rental/kit-finder">Find your kit</a>
</section>
<section>
<h2>What goes first in October</h2>
${tiles(["granite-mid", "stormline-shell", "polar-multi", "tarn-2"], "h3")}
</section>
<section>
<h2>Departments</h2>
<ul class="departments">${CATEGORIES.map(({ id, name }) => `<li><a href="/${id}"><img src="${GOODS.find(({ category }) => category === id).image}" alt="" width="400" height="320" loading="lazy"><span>${name}</span></a></li>`).join("")}</ul>
</section>
<section class="split">
<img src="/img/lake.svg" alt="A lake between wooded hills" width="1200" height="700" loading="lazy">
<div><h2>We repair what we sell</h2><p>Zips, soles, poles and seams: bring it to a store or send it, and it comes back in ten days. Last year that was 8,214 things that did not have to be made again.</p></div>
</section>`,
};

const listings = CATEGORIES.map(({ id, name, line }) => ({
  path: `/${id}`,
  title: name,
  description: line,
  main: `${crumbs(["Shop", "/"], [name])}
<section class="listing">
<h1>${name}</h1>
<p class="lede">${text(line)}</p>
${tiles(GOODS.filter(({ category }) => category === id).map((each) => each.id))}
</section>`,
}));

const SIZES = { boots: ["39", "40", "41", "42", "43", "44"], jackets: ["S", "M", "L", "XL"] };
const GUIDES = {
  boots: ["Foot length", { 39: "24.5 cm", 40: "25 cm", 41: "26 cm", 42: "26.5 cm", 43: "27.5 cm", 44: "28 cm" }],
  jackets: ["Chest", { S: "88 to 94 cm", M: "94 to 102 cm", L: "102 to 110 cm", XL: "110 to 118 cm" }],
};

function sizes(category) {
  const all = SIZES[category];
  if (!all) return "";
  const [what, guide] = GUIDES[category];
  const choices = all.map(
    (size, at) =>
      `<label><input type="radio" name="size" value="${size}"${at === 2 ? " checked" : ""}><span>${size}</span></label>`,
  );
  const rows = all.map((size) => `<tr><th scope="row">${size}</th><td>${guide[size]}</td></tr>`);
  return `<fieldset class="size-picker"><legend>Size</legend>${choices.join("")}</fieldset>
<button class="text" type="button" aria-expanded="false" aria-controls="size-guide" data-opens="size-guide">Size guide</button>
<div id="size-guide" hidden><table><caption>Measured over a thin sock or shirt</caption><thead><tr><th scope="col">Size</th><th scope="col">${what}</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>
`;
}

const products = GOODS.map(({ id, category, name, price, line, facts, image, path }) => {
  const department = CATEGORIES.find((each) => each.id === category).name;
  const others = GOODS.filter((each) => each.category === category && each.id !== id).slice(0, 3);
  return {
    path,
    title: name,
    description: line,
    main: `${crumbs(["Shop", "/"], [department, `/${category}`], [name])}
<article class="product" data-product="${id}">
<div class="gallery"><img src="${image}" alt="${text(name)}" width="400" height="320" fetchpriority="high"></div>
<div class="product-summary">
<h1>${text(name)}</h1>
<p class="lede">${text(line)}</p>
<p class="price">${euro(price)} <span class="price-note">incl. VAT</span></p>
<form class="buy" action="/basket">
${sizes(category)}<div class="add-to-basket-bar"><button class="add-to-basket" type="button" data-add="${id}">Add to basket</button></div>
</form>
<p class="delivery">2 to 4 working days</p>
<p class="stock">In stock in Bergen, Kiruna and Innsbruck</p>
<table class="facts"><caption class="unseen">Facts about ${text(name)}</caption><tbody>${facts.map(([what, value]) => `<tr><th scope="row">${what}</th><td>${text(value)}</td></tr>`).join("")}</tbody></table>
</div>
</article>
<section class="reviews">
<h2>From people who carried it</h2>
<blockquote><p>Three weeks in Sarek, two of them in rain. I thought about it exactly once: when I packed it.</p><footer>Ingrid, Luleå</footer></blockquote>
<blockquote><p>They replaced the part that broke, and sent a note about which river it had been.</p><footer>Matthias, Innsbruck</footer></blockquote>
<div class="photos"><img src="/img/forest.svg" alt="A path into a forest" width="1200" height="700" loading="lazy"><img src="/img/dusk.svg" alt="A lit tent at dusk" width="1200" height="700" loading="lazy"><img src="/img/hero-snow.svg" alt="Snow below a ridge" width="1200" height="700" loading="lazy"></div>
</section>
<section>
<h2>Others look at</h2>
<ul class="products">
${others.map((each) => tile(each, "h3")).join("\n")}
</ul>
</section>`,
  };
});

const gifts = {
  path: "/gifts",
  title: "Gifts",
  description: "For people who would rather be outside.",
  main: `${crumbs(["Shop", "/"], ["Gifts"])}
<section class="listing">
<h1>Gifts</h1>
<p class="lede">For people who would rather be outside. All of it can be changed until the end of January.</p>
<div class="gift-list">
${tiles(["merino-hike", "ember-one", "spark-spirit", "saddle-20", "fell-wind", "ember-duo"])}
</div>
</section>`,
};

const rental = {
  path: "/rental",
  title: "Rental",
  description: "Tents, sleeping bags and stoves for a weekend or a month.",
  main: `${crumbs(["Shop", "/"], ["Rental"])}
<section class="listing rental">
<h1>Rental</h1>
<p class="lede">Clean, checked, and yours from Thursday to Tuesday: two nights are paid, the days around them are free.</p>
<table class="rates"><caption class="unseen">Prices for a night</caption><thead><tr><th scope="col">What</th><th scope="col">A night</th></tr></thead>
<tbody>${RENTAL.map(({ name, night }) => `<tr><th scope="row">${text(name)}</th><td>${euro(night)}</td></tr>`).join("")}</tbody></table>
<p><a class="button" href="/rental/kit-finder">Find your kit</a></p>
</section>`,
};

const weekend = {
  path: "/rental/weekend",
  title: "A weekend in pictures",
  description: "How renting goes, from Thursday evening to Sunday night.",
  main: `${crumbs(["Shop", "/"], ["Rental", "/rental"], ["A weekend in pictures"])}
<article class="story">
<h1>A weekend in pictures</h1>
<p class="lede">Thursday to Sunday with rented kit: this is how it goes.</p>
<figure><img src="/img/forest.svg" alt="A path into a forest" width="1200" height="700"><figcaption><strong>Thursday.</strong> You fetch the pack. We have fitted it to your back, and everything in it was used and checked.</figcaption></figure>
<figure><img src="/img/lake.svg" alt="A lake between wooded hills" width="1200" height="700" loading="lazy"><figcaption><strong>Friday.</strong> Eleven kilometres to the lake. The stove boils a litre while somebody finds the spoons.</figcaption></figure>
<figure><img src="/img/dusk.svg" alt="A lit tent at dusk" width="1200" height="700" loading="lazy"><figcaption><strong>Saturday.</strong> It rains at four. At five you are dry, and remain so.</figcaption></figure>
<figure><img src="/img/hero.svg" alt="Mountains in the evening" width="1200" height="700" loading="lazy"><figcaption><strong>Sunday.</strong> Bring it back wet. Drying is our part.</figcaption></figure>
<p class="ends">A kit for two and two nights is ${euro(kitFor({}).price)}. <a class="button" href="/rental/kit-finder">Find your kit</a></p>
</article>`,
};

/** A page of the section that React hydrates, in the state in which it is opened. */
export const finder = (path, step, markup) => ({
  path,
  title: `Kit finder: ${step}`,
  description: "Three questions, one kit.",
  scripts: ["finder.min.js"],
  main: `${crumbs(["Shop", "/"], ["Rental", "/rental"], ["Kit finder"])}
<div id="finder">${markup}</div>`,
});

const search = {
  path: "/search",
  title: "Search",
  description: "Find what the shop has.",
  main: `<section class="listing" data-search>
<h1>Search</h1>
<p class="lede" data-found role="status">Everything we have:</p>
${tiles(GOODS.map(({ id }) => id))}
</section>`,
};

const basket = {
  path: "/basket",
  title: "Basket",
  description: "What you have chosen.",
  main: `<section class="basket" data-basket>
<h1>Basket</h1>
<p class="empty" data-empty>Nothing in it yet. <a href="/boots">Boots</a> are a good beginning.</p>
<div data-filled hidden>
<ul class="lines" data-lines></ul>
<p class="basket-total"><span>Total</span> <strong data-total></strong></p>
<p class="ends"><a class="button" href="/checkout">To checkout</a></p>
</div>
<noscript><p>The basket needs JavaScript.</p></noscript>
</section>`,
};

const field = (name, label, rest) =>
  `<p class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" required ${rest}></p>`;

const checkout = {
  path: "/checkout",
  title: "Checkout",
  description: "Where shall it go?",
  main: `<section class="checkout" data-checkout>
<h1>Checkout</h1>
<p class="lede" data-summary>This is a demo: whatever you enter stays in this browser and is not sent anywhere.</p>
<form id="order" method="post" action="/checkout/thanks">
<fieldset><legend>Where shall it go?</legend>
${field("name", "Name", 'autocomplete="off" value="Kari Nordmann"')}
${field("street", "Street", 'autocomplete="off" value="Fjellveien 7"')}
${field("town", "Town", 'autocomplete="off" value="5003 Bergen"')}
</fieldset>
<fieldset><legend>How will you pay?</legend>
<label class="choice"><input type="radio" name="pay" value="invoice" checked> By invoice, in 30 days</label>
<label class="choice"><input type="radio" name="pay" value="card"> By card, on delivery</label>
</fieldset>
<p class="ends"><button class="place-order">Place the order <span data-total></span></button></p>
</form>
</section>`,
};

const thanks = {
  path: "/checkout/thanks",
  title: "Thank you",
  description: "The order is placed.",
  main: `<section class="thanks" data-thanks>
<h1>Thank you.</h1>
<p class="lede" data-order>There is no order to show.</p>
<p data-ordered hidden>It leaves tomorrow. <a class="cancel" href="/orders/cancelled">Cancel it</a></p>
<p class="ends"><a class="button quiet" href="/">Back to the shop</a></p>
</section>`,
};

const cancelled = {
  path: "/orders/cancelled",
  title: "Order cancelled",
  description: "The order is cancelled.",
  main: `<section><h1>The order is cancelled.</h1><p class="lede">Nothing will be sent. You will hear from us if it was us.</p><p><a class="button quiet" href="/">Back to the shop</a></p></section>`,
};

const account = {
  path: "/account",
  title: "Account",
  description: "Your account.",
  main: `<section class="account"><h1>Account</h1><p class="lede">Members get repairs first. In the demo everybody is one.</p><p class="saved" hidden>You have saved 84 € this year.</p></section>`,
};

export const missing = {
  path: "/404",
  title: "Not here",
  description: "This page does not exist.",
  main: `<section><h1>This path ends here.</h1><p class="lede">There is no page at this address.</p><p><a class="button" href="/">Back to the shop</a></p></section>`,
};

export const PAGES = [
  home,
  ...listings,
  ...products,
  gifts,
  rental,
  weekend,
  search,
  basket,
  checkout,
  thanks,
  cancelled,
  account,
];
