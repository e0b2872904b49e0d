import { index, route } from "@react-router/dev/routes";

export default [index("shop.jsx"), route("about", "about.jsx")];
