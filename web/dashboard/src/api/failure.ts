// Failed requests: one type for errors of the API, of the network, and of proxies in between.

import type { components } from "./schema";

type ErrorBody = components["schemas"]["ErrorBody"];

export class ApiFailure extends Error {
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /**
   * An error code of the API; `unreachable` without an answer; `unreadable` if the answer is not one of the API;
   * `unexpected` for a defect of the page.
   */
  readonly code: string;
  /** Every problem with the path of its field, such as `variants[1].name`. */
  readonly fields: readonly { field: string; message: string }[];
  readonly requestId: string | undefined;
  /** Seconds to wait before a retry; sent with 429 and 503. */
  readonly retryAfterS: number | undefined;

  constructor(
    message: string,
    about: Partial<Pick<ApiFailure, "status" | "code" | "fields" | "requestId" | "retryAfterS">>,
  ) {
    super(message);
    this.name = "ApiFailure";
    this.status = about.status ?? 0;
    this.code = about.code ?? "unreachable";
    this.fields = about.fields ?? [];
    this.requestId = about.requestId;
    this.retryAfterS = about.retryAfterS;
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === "object" && body !== null && "error" in body && typeof body.error === "string";
}

/** Returns the failure for an answer with a status of 400 or more. */
export async function failureOf(response: Response): Promise<ApiFailure> {
  const after = Number(response.headers.get("retry-after"));
  const common = { status: response.status, retryAfterS: Number.isFinite(after) && after > 0 ? after : undefined };
  const body: unknown = await response.json().catch(() => undefined);
  if (!isErrorBody(body)) {
    return new ApiFailure(`The server answered with status ${response.status} and no explanation.`, {
      ...common,
      code: "unreadable",
      requestId: response.headers.get("x-request-id") ?? undefined,
    });
  }
  return new ApiFailure(body.error, {
    ...common,
    code: body.code,
    fields: Array.isArray(body.errors) ? body.errors : [],
    requestId: body.request_id,
  });
}

/** Returns the failure for a request that got no answer: `fetch` throws a `TypeError` then. */
export function noAnswer(): ApiFailure {
  return new ApiFailure("The server cannot be reached. Check the connection and try again.", {});
}

/** Converts any thrown value to a failure. */
export function failureFrom(thrown: unknown): ApiFailure {
  if (thrown instanceof ApiFailure) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ApiFailure(`This page has a defect: ${message}`, { code: "unexpected" });
}
