// Passkeys: the dialogs of the browser, and the messages if they fail.

import { ApiFailure } from "~/api/failure";

/**
 * Reason why this browser cannot use passkeys at this address; undefined if it can. `isNamed` is true when the server
 * accepts them here.
 */
export function obstacle(isNamed: boolean): string | undefined {
  // Browsers hide passkeys from pages without TLS, except on localhost.
  if (!window.isSecureContext) return "Passkeys need HTTPS: this page was opened over plain HTTP.";
  if (!isNamed) return "Passkeys need a host name, and this page was opened at an IP address.";
  if (!window.PublicKeyCredential?.parseCreationOptionsFromJSON) return "This browser is too old for passkeys.";
  return undefined;
}

/** Address of this page under a name, if it is on this machine. */
export function namedAddress(): string | undefined {
  if (!/^(127(\.\d+){3}|\[::1\])$/.test(location.hostname)) return undefined;
  return `http://localhost${location.port && `:${location.port}`}${location.pathname}`;
}

/** Creates a passkey, in the browser's dialog. */
export function make(options: object): Promise<Record<string, unknown>> {
  return asked(async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      options as PublicKeyCredentialCreationOptionsJSON,
    );
    return navigator.credentials.create({ publicKey });
  });
}

/** Answers with a passkey, in the browser's dialog. */
export function answer(options: object): Promise<Record<string, unknown>> {
  return asked(async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
    return navigator.credentials.get({ publicKey });
  });
}

async function asked(ask: () => Promise<Credential | null>): Promise<Record<string, unknown>> {
  try {
    const credential = await ask();
    if (credential === null) throw new DOMException("", "NotAllowedError");
    return (credential as PublicKeyCredential).toJSON() as unknown as Record<string, unknown>;
  } catch (thrown) {
    const name = thrown instanceof DOMException ? thrown.name : "";
    const text = SENTENCES[name] ?? "The browser could not use a passkey. Try again, or use another browser.";
    throw new ApiFailure(text, { code: "passkey" });
  }
}

// Browsers do not report whether a dialog was closed, timed out, or found nothing: that would reveal who has an
// account.
const SENTENCES: Record<string, string> = {
  NotAllowedError:
    "Nothing was done: the browser's dialog was closed, it took too long, or there was no passkey for this site.",
  AbortError: "Nothing was done: the browser's dialog was closed.",
  InvalidStateError: "This device already has a passkey for your account.",
  ConstraintError: "This device cannot verify who you are. Set up a screen lock, or use another device.",
  NotSupportedError: "This device cannot create a passkey of a type that is accepted here.",
  SecurityError: "The browser does not allow passkeys at this address.",
};
