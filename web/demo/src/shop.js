// The behaviour of the shop's pages: a basket stored in this browser, an order, and the events that Muriel gets.

import { GOODS, RENTAL, euro, goodOf } from "./goods.mjs";

const BASKET = "northwind-basket";
const ORDER = "northwind-order";

/**
 * Calls Muriel's page API. The list keeps calls made before the script has loaded; without the script they do nothing.
 */
export const tell = (...call) => (window.muriel ??= []).push(call);
const track = (name, properties) => tell("track", name, properties);

const one = (selector, within = document) => within.querySelector(selector);
const every = (selector, within = document) => [...within.querySelectorAll(selector)];

/** An element with text and attributes. Pages that require Trusted Types accept no HTML as text. */
function element(name, attributes, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

function kept(storage, key, otherwise) {
  try {
    return JSON.parse(storage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function keep(storage, key, value) {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    // A browser that refuses storage has an empty basket.
  }
}

/** Lines of the basket: `{id, size, count, nights?}`. */
const lines = () => kept(localStorage, BASKET, []).filter(({ id }) => priced(id));
const priced = (id) => goodOf(id) ?? RENTAL.find((each) => each.id === id);
const priceOf = ({ id, count, nights = 1 }) => count * (goodOf(id)?.price ?? priced(id).night * nights);
const total = (of) => of.reduce((sum, line) => sum + priceOf(line), 0);

function change(next) {
  keep(localStorage, BASKET, next);
  count();
}

export function add(...added) {
  const all = lines();
  for (const line of added) {
    const same = all.find((each) => each.id === line.id && each.size === line.size && each.nights === line.nights);
    if (same) same.count += line.count ?? 1;
    else all.push({ count: 1, ...line });
  }
  change(all);
}

function count() {
  const all = lines().reduce((sum, line) => sum + line.count, 0);
  const badge = one("[data-count]");
  badge.textContent = all;
  badge.hidden = all === 0;
}

let fading;
export function toast(message) {
  const place = one("[data-toast]");
  place.replaceChildren(message + " ", element("a", { href: "/basket" }, "See the basket"));
  place.classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => place.classList.remove("shown"), 5000);
}

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element && target.closest("button");
  if (!button) return;
  if (button.dataset.add) {
    const { add: id } = button.dataset;
    const form = button.closest("form");
    const size = form && new FormData(form).get("size");
    const socks = form && one('[name="socks"]', form)?.checked;
    add({ id, ...(size ? { size } : {}) }, ...(socks ? [{ id: "merino-hike", bundled: true }] : []));
    toast(`${goodOf(id).name} ${socks ? "and socks are" : "is"} in your basket.`);
  } else if (button.dataset.opens) {
    const panel = document.getElementById(button.dataset.opens);
    panel.hidden = !panel.hidden;
    button.setAttribute("aria-expanded", String(!panel.hidden));
  } else if (button.dataset.remove) {
    const all = lines();
    const [gone] = all.splice(+button.dataset.remove, 1);
    if (gone?.bundled) track("bundle_removed");
    change(all);
    showBasket(one("[data-basket]"));
    one("h1").setAttribute("tabindex", "-1");
    one("h1").focus();
  }
});

one("form.search").addEventListener("submit", ({ target }) => {
  track("search_submitted", { letters: new FormData(target).get("q").length });
});

function showBasket(place) {
  const all = lines();
  one("[data-empty]", place).hidden = all.length > 0;
  one("[data-filled]", place).hidden = all.length === 0;
  one("[data-total]", place).textContent = euro(total(all));
  one("[data-lines]", place).replaceChildren(
    ...all.map((line, at) => {
      const { name, of } = priced(line.id);
      const good = goodOf(of ?? line.id);
      const about = [
        line.size && `Size ${line.size}`,
        line.nights && `${line.nights} nights`,
        line.count > 1 && `${line.count} pieces`,
      ];
      return element(
        "li",
        {},
        element("img", { src: good.image, alt: "", width: 400, height: 320 }),
        element("div", {}, element("a", { href: good.path }, name), element("p", {}, about.filter(Boolean).join(", "))),
        element("span", { class: "price" }, euro(priceOf(line))),
        element(
          "button",
          { type: "button", class: "text", "data-remove": at, "aria-label": `Remove ${name}` },
          "Remove",
        ),
      );
    }),
  );
}

function showCheckout(place) {
  const all = lines();
  one("[data-total]", place).textContent = all.length ? `for ${euro(total(all))}` : "";
  one(".place-order", place).disabled = all.length === 0;
  if (all.length === 0) one("[data-summary]", place).replaceChildren("There is nothing in your basket to order.");
  one("form", place).addEventListener("submit", (event) => {
    event.preventDefault();
    const number = crypto.getRandomValues(new Uint32Array(1))[0] % 1e7;
    const quantity = all.reduce((sum, line) => sum + line.count, 0);
    keep(sessionStorage, ORDER, { order_id: `N-${String(number).padStart(7, "0")}`, value: total(all), quantity });
    change([]);
    location.href = "/checkout/thanks";
  });
}

function showThanks(place) {
  const order = kept(sessionStorage, ORDER);
  if (!order) return;
  const { order_id, value, quantity, told } = order;
  one("[data-order]", place).textContent = `Your order ${order_id} over ${euro(value)} is placed.`;
  one("[data-ordered]", place).hidden = false;
  // Tracked once, even if the page is opened again.
  if (told) return;
  track("Purchase", { value, currency: "EUR", order_id, quantity });
  keep(sessionStorage, ORDER, { ...order, told: true });
}

function showFound(place) {
  const wanted = (new URLSearchParams(location.search).get("q") ?? "").trim();
  if (!wanted) return;
  one("#q").value = wanted;
  const words = wanted.toLowerCase().split(/\s+/);
  const fits = GOODS.map((good) => {
    const text = [good.name, good.line, good.category, ...good.facts.flat()].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  every(".product-tile", place).forEach((tile, at) => (tile.hidden = !fits[at]));
  const found = fits.filter(Boolean).length;
  one("[data-found]", place).textContent = `${found || "Nothing"} found for “${wanted}”.`;
}

const SHOWS = {
  "[data-basket]": showBasket,
  "[data-checkout]": showCheckout,
  "[data-thanks]": showThanks,
  "[data-search]": showFound,
};
count();
for (const [selector, show] of Object.entries(SHOWS)) {
  const place = one(selector);
  if (place) show(place);
}
const product = one("[data-product]");
if (product) track("product_viewed", { price: goodOf(product.dataset.product).price });

// The arms that the visitor is exposed to on this page. They are listed there, so that the experiments can be seen at
// work.
const arms = new Map();
tell("on", "exposure", ({ experiment_key, variant }) => {
  arms.set(experiment_key, variant);
  const place = one("[data-arms]");
  one("[data-met]", place).textContent = `(${arms.size})`;
  one("ul", place).replaceChildren(
    ...[...arms].map(([key, arm]) => element("li", {}, element("strong", {}, key), arm)),
  );
  place.hidden = false;
});

/** Functions that the React section uses. */
window.northwind = { add, toast, track };
// A page restored from the back/forward cache shows the current basket.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  count();
  const place = one("[data-basket]");
  if (place) showBasket(place);
});
