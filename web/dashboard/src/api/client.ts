// All access to the API. The common parts of requests are here: the header against forged requests, errors, and the end
// of a session. Pages use `query` and `send` of this folder, never `fetch`.

import createClient, { type Middleware } from "openapi-fetch";
import { ApiFailure, failureOf, noAnswer } from "./failure";
import type { paths } from "./schema";

let csrf = "";

/** Sets the token that later requests send as `X-Muriel-CSRF`. */
export function setCsrf(token: string): void {
  csrf = token;
}

let sessionEnded: () => void = () => {};

/** Sets the listener that is called when the server no longer knows the session. */
export function onSessionEnd(listener: () => void): void {
  sessionEnded = listener;
}

// A 401 of these operations is about the typed credentials, or says that nobody is signed in yet.
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
    // An aborted request is not a failure: its caller aborted it.
    if (error instanceof DOMException && error.name === "AbortError") return error;
    return error instanceof ApiFailure ? error : noAnswer();
  },
};

export const client = createClient<paths>({ credentials: "same-origin" });
client.use(common);

/** Returns the data of an answer. The middleware has thrown every answer that is not a success. */
export async function dataOf<T>(answer: Promise<{ data?: T; response: Response }>): Promise<T> {
  const { data, response } = await answer;
  if (data === undefined) {
    throw new ApiFailure("The server answered without a body.", { status: response.status, code: "unreadable" });
  }
  return data;
}
