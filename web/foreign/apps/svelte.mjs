// Svelte, with the component that `pages/apps.mjs` compiles.

import { hydrate, mount } from "svelte";
import Shop from "../build/Shop.client.js";
import { shop } from "./shop.mjs";

const target = document.getElementById("app");
(target.firstChild ? hydrate : mount)(Shop, { target, props: { store: shop() } });
