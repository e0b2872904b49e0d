// The one way to the API. Everything that requests have in common is here: the header against forged requests, errors, the end of a
// session. Pages use `query` and `send` of this folder, never `fetch`.

import createClient, { type Middleware } from "openapi-fetch";
import { ApiFailure, failureOf, noAnswer } from "./failure";
import type { paths } from "./schema";

let csrf = "";

/** Sets what is sent as `X-Muriel-CSRF` from now on. */
export function setCsrf(token: string): void {
  csrf = token;
}

let sessionEnded: () => void = () => {};

/** Sets what happens when the server no longer knows the session. */
export function onSessionEnd(listener: () => void): void {
  sessionEnded = listener;
}

// These answer 401 about what was typed, or about nobody being signed in yet.
const OF_SIGN_IN = ["/v2/session", "/v2/session/passkey", "/v2/invitation/{token}", "/v2/session/methods"];

const common: Middleware = {
  onRequest({ request }) {
    if (request.method !== "GET" && csrf !== "") request.headers.set("X-Muriel-CSRF", csrf);
    return request;
  },
  async onResponse({ response, schemaPath }) {
    if (response.ok || response.status === 304) return undefined;
    const failure = await failureOf(response);
    if (failure.status === 401 && !OF_SIGN_IN.includes(schemaPath)) sessionEnded();
    throw failure;
  },
  onError({ error }) {
    // A request that was given up is not a failure: whoever gave it up knows.
    if (error instanceof DOMException && error.name === "AbortError") return error;
    return error instanceof ApiFailure ? error : noAnswer();
  },
};

export const client = createClient<paths>({ credentials: "same-origin" });
client.use(common);

/** The data of an answer; the middleware has thrown everything that is not a success. */
export async function dataOf<T>(answer: Promise<{ data?: T; response: Response }>): Promise<T> {
  const { data, response } = await answer;
  if (data === undefined) {
    throw new ApiFailure("The server answered without a body.", { status: response.status, code: "unreadable" });
  }
  return data;
}
