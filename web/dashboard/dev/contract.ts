// Types of the development server's operations, from the contract: a missing operation, or an answer without a required field, does not
// compile.

import type { PathsWithMethod } from "openapi-typescript-helpers";
import type { Answer, Schemas } from "../src/api/query";
import type { paths } from "../src/api/schema";
import type { State } from "./state.mjs";

type Method = "get" | "post" | "put" | "patch" | "delete";

/** Operations of the contract, such as `GET /v2/overview`. */
type Operation = { [M in Method]: `${Uppercase<M>} ${PathsWithMethod<paths, M> & string}` }[Method];

/** Operations that need no session. */
type Public = "GET /v2/session/methods" | "POST /v2/session" | `${"GET" | "POST"} /v2/invitation/{token}`;

type InProject<Rest extends string> = `${Verb} /v2/project/{project_key}/${Rest}`;
type Verb = Uppercase<Method>;
type InExperiment<Rest extends string> = InProject<`experiment/{test_id}/${Rest}`>;

/**
 * Operations of pages that are tested with the real server only. A new operation of the contract is neither here nor in
 * the tables, so type checking fails until it is added to one of them. A test fails if its page calls one of these.
 */
type Elsewhere =
  // Not used by the dashboard.
  | `${Verb} /${"events" | "js" | "ruleset" | "preview" | "geo"}/${string}`
  | InProject<`${"ofrep" | "visitor" | "currency-rates" | "evaluate-many" | "experiment-keys" | "hypothesis-slugs"}${string}`>
  | InProject<"experiments">
  // CSV exports.
  | `GET ${string}.csv`
  // Results, and operations that are based on them.
  | `GET /share/${string}`
  | InExperiment<"result" | "timeseries" | "plan" | "simulate" | "shares" | "explain" | "suspects">
  | InProject<`share/${string}`>
  | InProject<"exclusions" | `exclusion/${string}`>
  // Pages that change experiments.
  | InProject<"create-experiment">
  | `DELETE /v2/project/{project_key}/experiment/{test_id}`
  | InExperiment<
      | "change-preview"
      | "checklist"
      | "conclude"
      | "confirm-act"
      | "confirm-plan"
      | "duplicate"
      | "preview-urls"
      | "reopen"
    >
  | InExperiment<"restore" | "restore-preview" | "serve-winner" | "serving-rollout" | "stop-serving">
  | `POST ${string}/experiment/{test_id}/${"comments" | "proposals"}`
  | `${"PUT" | "DELETE"} ${string}/experiment/{test_id}/watch`
  | InProject<`proposals/${string}`>
  // Objects that the experiments of a project share.
  | InProject<`${"exclusion-group" | "goal/" | "hypothesis/" | "live" | "webhook"}${string}`>
  | `POST /v2/project/{project_key}/${"goal" | "hypothesis"}`
  // The inbox, and sign-in methods that need another party.
  | "POST /v2/inbox/read"
  | "PATCH /v2/inbox/{entry_id}"
  | `${Verb} /v2/session/${"passkey" | "oidc"}${string}`
  | "POST /v2/person/me/passkeys"
  | `${Verb} /v2/person/me/passkeys/${string}`;

type PathOf<O> = O extends `${string} ${infer P extends keyof paths & string}` ? P : never;
type MethodOf<O> = O extends `${infer M extends Verb} ${string}` ? Lowercase<M> : never;

/** Names of the parameters in a path template, mapped to strings. */
type Parameters<P> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & Parameters<Rest>
  : Record<never, string>;

type BodyOf<O> = paths[PathOf<O>] extends {
  [M in MethodOf<O>]: { requestBody?: { content: { "application/json": infer B } } };
}
  ? B
  : undefined;

/** A call of an operation. `me` is the signed-in person. */
export interface Call<O> {
  path: Parameters<PathOf<O>>;
  query: URLSearchParams;
  body: BodyOf<O>;
  headers: import("node:http").IncomingHttpHeaders;
  me: O extends Public ? undefined : Schemas["Person"];
}

export type Reply<O> = readonly [
  status: 200 | 201,
  answer: Answer<PathOf<O>, MethodOf<O>>,
  headers?: Record<string, string>,
];

type Handlers<All extends string> = { [O in All]: (call: Call<O>, state: State) => Reply<O> };

export type PublicHandlers = Handlers<Extract<Operation, Public>>;
export type SignedInHandlers = Handlers<Exclude<Operation, Public | Elsewhere>>;
