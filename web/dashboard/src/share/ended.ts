// Reasons why a link shows nothing, and what to do. The server puts the same text into the page, for browsers that do
// not run scripts.

export interface Ending {
  title: string;
  next: string;
}

const ASK = "Ask whoever sent it for a new one.";

const ENDINGS: Record<string, Ending> = {
  share_expired: { title: "This link has expired", next: ASK },
  share_revoked: { title: "This link was revoked", next: ASK },
  share_outdated: { title: "What this link is about is gone", next: `Its goal was deleted. ${ASK}` },
  not_found: {
    title: "There is nothing under this address",
    next: "Check that the whole link was copied, or ask whoever sent it for a new one.",
  },
};

/** Undefined for failures that may be temporary. */
export function ending(code: string): Ending | undefined {
  return ENDINGS[code];
}
