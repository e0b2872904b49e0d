// The frame of every page: head, header, navigation and footer.

import { CATEGORIES, euro } from "./goods.mjs";

/** Escapes text for HTML. */
export const text = (raw) => String(raw).replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);

const NAVIGATION = [...CATEGORIES.map(({ id, name }) => [`/${id}`, name]), ["/rental", "Rental"], ["/gifts", "Gifts"]];

/**
 * A whole page. The server fills in `{nonce}`, `{muriel}` and `{project}` for each response. Muriel's script comes
 * before all visible content, so that nothing is painted in another arm first.
 */
export function page({ path, title, description, main, scripts = [] }) {
  const links = NAVIGATION.map(([href, name]) => {
    const here = path === href ? ' aria-current="page"' : path.startsWith(`${href}/`) ? ' aria-current="true"' : "";
    return `<li><a href="${href}"${here}>${name}</a></li>`;
  });
  const later = ["shop.min.js", ...scripts].map(
    (name) => `<script nonce="{nonce}" src="/assets/${name}" defer></script>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<script nonce="{nonce}" src="{muriel}/js/{project}.js"></script>
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)} – Northwind Outdoor</title>
<meta name="description" content="${text(description)}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/img/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/shop.css">
${later.join("\n")}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<div class="bar">
<a class="brand" href="/"><img src="/img/mark.svg" alt="" width="32" height="32">Northwind <span>Outdoor</span></a>
<form class="search" action="/search" role="search"><label class="unseen" for="q">Search the shop</label><input id="q" name="q" type="search" placeholder="Search" autocomplete="off"><button class="unseen">Search</button></form>
<a class="to-basket" href="/basket">Basket <span class="count" data-count hidden></span></a>
</div>
<nav aria-label="Departments"><ul>${links.join("")}</ul></nav>
</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer>
<p><strong>Northwind Outdoor</strong> is the demo shop of Muriel. Nothing is sold here: an order goes into an experiment's result and nowhere else.</p>
<ul><li><a href="/rental">Rental</a></li><li><a href="/rental/kit-finder">Kit finder</a></li><li><a href="/gifts">Gifts</a></li><li><a href="/account">Account</a></li></ul>
</footer>
<details class="arms" data-arms hidden><summary>Your experiments <span data-met></span></summary><ul></ul></details>
<p class="toast" role="status" data-toast></p>
</body>
</html>
`;
}

export const crumbs = (...steps) =>
  `<nav class="crumbs" aria-label="Where you are"><ol>${steps
    .map(
      ([name, href]) =>
        `<li>${href ? `<a href="${href}">${text(name)}</a>` : `<span aria-current="page">${text(name)}</span>`}</li>`,
    )
    .join("")}</ol></nav>`;

/** A product in a list. */
export const tile = ({ id, name, price, line, path, image, facts }, level = "h2") => `<li class="product-tile">
<a class="picture" href="${path}" tabindex="-1" aria-hidden="true"><img src="${image}" alt="" width="400" height="320" loading="lazy"></a>
<${level}><a href="${path}">${text(name)}</a></${level}>
<p class="line">${text(line)}</p>
<p class="fact">${text(facts[0][1])}</p>
<p class="price">${euro(price)}</p>
<button class="add-to-basket small" type="button" data-add="${id}" aria-label="Add ${text(name)} to the basket">Add</button>
</li>`;
