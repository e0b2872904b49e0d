// jQuery in its usual style: rows are moved, hidden and shown, and texts are set one by one.

import $ from "jquery";
import { counted, goods, markup, shop, title } from "./shop.mjs";

const store = shop();
const app = $("#app").html(markup(store.get()));
app
  .on("click", "#sort", store.sort)
  .on("click", "#filter", store.filter)
  .on("click", "#add", store.add)
  .on("click", "#go", store.go);

store.subscribe((state) => {
  if (state.view === "about" || !$("#list")[0]) return void app.html(markup(state));
  $("h1").text(title(state));
  $("#count").text(counted(state));
  const order = goods(state).map(({ sku }) => sku);
  $("[data-sku]").each((_, row) => void $(row).toggle(order.includes(row.dataset.sku)));
  for (const sku of order) $(`[data-sku=${sku}]`).appendTo("#list");
});
