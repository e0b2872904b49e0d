// Takes over the page that was made before.

import { hydrateRoot } from "react-dom/client";
import { Finder } from "./finder.jsx";

hydrateRoot(document.getElementById("finder"), <Finder path={location.pathname.replace(/\/$/, "")} />);
