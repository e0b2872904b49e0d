// Reasons why a link shows nothing, and what to do. The server puts the same text into the page, for browsers that do
// not run scripts.

export interface Ending {
  title: string;
  next: string;
}

const ASK = "Ask the sender for a new one.";

const ENDINGS: Record<string, Ending> = {
  share_expired: { title: "This link has expired", next: ASK },
  share_revoked: { title: "This link was revoked", next: ASK },
  share_outdated: { title: "This link no longer works", next: `The goal that it shows was deleted. ${ASK}` },
  not_found: {
    title: "There is nothing at this address",
    next: "Check that the whole link was copied, or ask the sender for a new one.",
  },
};

/** Undefined for failures that may be temporary. */
export function ending(code: string): Ending | undefined {
  return ENDINGS[code];
}
