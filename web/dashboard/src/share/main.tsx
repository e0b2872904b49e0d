// The page of a shared result: of one link, for whoever has it. It is built apart from the application, so that nothing of that is loaded
// here, and neither session nor routes are known.

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "../styles/app.css";
import { SharedPage } from "./shared-page";

const root = document.getElementById("app");
if (root === null) throw new Error("share.html has no element with the id app");
createRoot(root).render(
  <StrictMode>
    <SharedPage address={location.pathname} />
  </StrictMode>,
);
