// The browser part of React: hydrates the document.

import { createElement } from "react";
import { hydrateRoot } from "react-dom/client";
import { Document } from "./react-document-app.mjs";

/** The errors that React reported. */
export const complaints = [];

const complain = (error) => complaints.push(String(error));

hydrateRoot(document, createElement(Document), { onRecoverableError: complain, onUncaughtError: complain });
