// Reads and writes by the paths of the contract, with its types.

import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { FilterKeys, HttpMethod, PathsWithMethod } from "openapi-typescript-helpers";
import { track } from "./settled";
import { client, dataOf } from "./client";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

type Operation<P extends keyof paths, M extends HttpMethod> = M extends keyof paths[P]
  ? NonNullable<paths[P][M]>
  : never;

/** Body of an operation's successful answer. */
export type Answer<P extends keyof paths, M extends HttpMethod = "get"> =
  Operation<P, M> extends {
    responses: infer R;
  }
    ? FilterKeys<FilterKeys<R, 200 | 201> extends { content: infer C } ? C : never, "application/json">
    : never;

/** Parameters in the path and the query. */
type Params<O> = O extends { parameters: infer P }
  ? (P extends { path: infer Path } ? (Path extends object ? { path: Path } : object) : object) &
      (P extends { query?: infer Query } ? (NonNullable<Query> extends object ? { query?: Query } : object) : object)
  : object;

type Body<O> = O extends { requestBody?: infer B }
  ? NonNullable<B> extends { content: infer C }
    ? FilterKeys<C, "application/json">
    : undefined
  : undefined;

export type GetPath = PathsWithMethod<paths, "get">;

/** `client` without its types, which TypeScript cannot follow through a generic path. */
const untyped = client as unknown as Record<
  Uppercase<HttpMethod>,
  (path: string, init: object) => Promise<{ data?: unknown; response: Response }>
>;

/** Sends a request. The page is not settled while it is in flight. */
const request = (method: Uppercase<HttpMethod>, path: string, init: object) => track(untyped[method](path, init));

/** Reads once, without the cache. */
export function read<P extends GetPath>(
  path: P,
  params: Params<Operation<P, "get">>,
  signal?: AbortSignal,
): Promise<Answer<P>> {
  return dataOf(request("GET", path, { params, signal })) as Promise<Answer<P>>;
}

/**
 * Options with which `useQuery` reads an operation. The key is the path of the contract, then the parameters, so that
 * `outdate` finds every answer of an operation.
 */
export function query<P extends GetPath>(path: P, params: Params<Operation<P, "get">>) {
  return queryOptions({
    queryKey: [path, params] as const,
    queryFn: ({ signal }) => read(path, params, signal),
  });
}

/** An answer with the entity tag for `If-Match`. */
export interface Tagged<T> {
  data: T;
  etag: string | undefined;
}

/** Like `query`, with the entity tag: for data that will be changed. */
export function taggedQuery<P extends GetPath>(path: P, params: Params<Operation<P, "get">>) {
  return queryOptions({
    queryKey: [path, params, "tagged"] as const,
    queryFn: ({ signal }) => readTagged(path, params, signal),
  });
}

/** An answer with the sentences about it from `X-Muriel-Warnings`. */
export interface Warned<T> {
  data: T;
  warnings: string[];
}

/** Like `query`, with the warnings. */
export function warnedQuery<P extends GetPath>(path: P, params: Params<Operation<P, "get">>) {
  return queryOptions({
    queryKey: [path, params, "warned"] as const,
    queryFn: async ({ signal }): Promise<Warned<Answer<P>>> => {
      const { data, response } = await request("GET", path, { params, signal });
      return { data: data as Answer<P>, warnings: warningsOf(response.headers.get("x-muriel-warnings")) };
    },
  });
}

/** Returns the bytes of an answer, as the server sent them. */
export async function readBytes<P extends GetPath>(path: P, params: Params<Operation<P, "get">>): Promise<Blob> {
  const { data } = await request("GET", path, { params, parseAs: "blob" });
  return data as Blob;
}

/** Returns one page of an answer as CSV, and the cursor of the next page if there is one. */
export async function readCsv<P extends GetPath>(
  path: P,
  params: Params<Operation<P, "get">>,
): Promise<{ csv: string; cursor: string | undefined }> {
  const { data, response } = await request("GET", path, { params, parseAs: "text" });
  return { csv: data as string, cursor: response.headers.get("x-muriel-cursor") ?? undefined };
}

/** Reads once, with the entity tag. */
export async function readTagged<P extends GetPath>(
  path: P,
  params: Params<Operation<P, "get">>,
  signal?: AbortSignal,
): Promise<Tagged<Answer<P>>> {
  const { data, response } = await request("GET", path, { params, signal });
  return { data: data as Answer<P>, etag: response.headers.get("etag") ?? undefined };
}

export type WriteMethod = "post" | "put" | "patch" | "delete";

export interface Sent<P extends keyof paths, M extends WriteMethod> {
  params?: Params<Operation<P, M>>;
  body?: Body<Operation<P, M>>;
  /** Entity tag that the change is based on. The server answers 412 if there is another one by now. */
  ifMatch?: string | undefined;
  /** Sends the body as `application/merge-patch+json`: objects merge, and null resets a field to its default. */
  merge?: boolean;
  /** One key for all attempts at one creation, so that it happens once. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** Writes. The caller then uses `outdate` for the operations whose answers have changed. */
export async function send<M extends WriteMethod, P extends PathsWithMethod<paths, M>>(
  method: M,
  path: P,
  sent: Sent<P, M>,
): Promise<Tagged<Answer<P, M>> & { warnings: string[] }> {
  const headers: Record<string, string> = {};
  if (sent.ifMatch !== undefined) headers["If-Match"] = sent.ifMatch;
  if (sent.idempotencyKey !== undefined) headers["Idempotency-Key"] = sent.idempotencyKey;
  if (sent.merge) headers["Content-Type"] = "application/merge-patch+json";
  const { data, response } = await request(method.toUpperCase() as Uppercase<M>, path, {
    params: sent.params ?? {},
    body: sent.body,
    headers,
    signal: sent.signal,
  });
  return {
    data: data as Answer<P, M>,
    etag: response.headers.get("etag") ?? undefined,
    warnings: warningsOf(response.headers.get("x-muriel-warnings")),
  };
}

function warningsOf(header: string | null): string[] {
  if (header === null) return [];
  try {
    const parsed: unknown = JSON.parse(header);
    return Array.isArray(parsed) ? parsed.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

/** Marks the answers of operations as outdated. Those on the page are read again. */
export function outdate(cache: QueryClient, ...operations: GetPath[]): Promise<void> {
  return cache.invalidateQueries({ predicate: ({ queryKey }) => operations.includes(queryKey[0] as GetPath) });
}
