// Referrers and parameters of addresses, which only rules ask for: docs/assignment-pages.md. The core does not import this file.

import { type Address, addressOf } from "./page";
import { ascii } from "./plain";

/** The page that a visitor came from; it has a host only if it is an address. */
export type Referrer = Pick<Address, "url"> & Partial<Address>;

// Taken before the page's scripts run: a page may replace the global later.
const Parameters = URLSearchParams;

/** Normalises a referrer: an address, that of an Android app, or any other text. */
export function referrerOf(text: string): Referrer {
  const plain = ascii(text).slice(0, 2048);
  const web = plain.replace(/^android-app(?=:\/\/)/i, "https");
  const address = addressOf(web);
  if (!address) return { url: plain };
  return web === plain
    ? address
    : { ...address, url: address.url.replace("https", "android-app"), _scheme: "android-app" };
}

/** The first value of a query parameter; null without one. */
export const parameterOf = (page: Address, name: string): string | null => new Parameters(page._query).get(name);
