// The page of a shared result, for everybody who has the link. It is built separately from the application and loads
// nothing of it. It has neither session nor routes.

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
