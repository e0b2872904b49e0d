// The section as HTML, route by route.

import { renderToString } from "react-dom/server";
import { Finder, KIT, STEPS } from "./finder.jsx";

/** Path, what it is about, and the markup. */
export const ROUTES = [...STEPS.map(({ path, name }) => [path, name]), [KIT, "your kit"]].map(([path, step]) => [
  path,
  step,
  renderToString(<Finder path={path} />),
]);
