// Functions of the generated programs. Declares the few parts of Node.js that it uses, instead of a package of types.

import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

declare const process: { env: Record<string, string | undefined> };

/** Values that the rig passes to the walk. */
interface Given {
  url: string;
  headers: Record<"key" | "person" | "anyone", Record<string, string>>;
  project: string;
  event: string;
  receiver: string;
  email: string;
  password: string;
  guest: string;
  other: string;
}

interface Fetched<D, E> {
  data?: D;
  error?: E;
  response: Response;
}

/** Text of the latest answer, before the client parsed it. */
let received = "";

async function recorded(request: Request): Promise<Response> {
  const response = await fetch(request);
  received = await response.clone().text();
  return response;
}

export function start() {
  const given: Given = JSON.parse(process.env.MURIEL_CLIENTS_GIVEN ?? "");
  const client = (caller: "key" | "person" | "anyone") =>
    createClient<paths>({ baseUrl: given.url, headers: given.headers[caller], fetch: recorded });
  const end = async (walk: () => Promise<void>) => {
    try {
      await walk();
    } catch (error) {
      console.log(`not ok the walk: ${error}`);
    }
  };
  return { given, key: client("key"), person: client("person"), anyone: client("anyone"), end };
}

function check(name: string, status: number, media: string, response: Response, value: unknown) {
  const got = response.headers.get("content-type")?.split(";")[0] ?? "";
  let problem = "";
  if (response.status !== status) problem = `the status is ${response.status}, not ${status}: ${received}`;
  else if (media !== got) problem = `the content type is ${got}, not ${media}`;
  else if (media !== "application/json") problem = value === received ? "" : "the client changed the text";
  else if (!equal(value, JSON.parse(received))) problem = `the client read ${JSON.stringify(value)}, not ${received}`;
  console.log(problem ? `not ok ${name}: ${problem}` : `ok ${name}`);
}

/** Checks a successful answer, and returns it. */
export async function answered<D, E>(
  name: string,
  status: number,
  media: string,
  call: Promise<Fetched<D, E>>,
): Promise<D> {
  const { data, response } = await call;
  check(name, status, media, response, data);
  if (data === undefined) throw new Error(`${name} has no answer, so later calls cannot be made`);
  return data;
}

/** Checks an error. */
export async function refused<D, E>(
  name: string,
  status: number,
  media: string,
  call: Promise<Fetched<D, E>>,
): Promise<E> {
  const { error, response } = await call;
  check(name, status, media, response, error);
  if (error === undefined) throw new Error(`${name} was not refused`);
  return error;
}

function equal(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  const [left, right] = [Object.entries(one), Object.entries(other)];
  return (
    left.length === right.length &&
    left.every(([name, value]) => equal(value, (other as Record<string, unknown>)[name]))
  );
}

/** Text after the last `mark`. */
export function after(text: string, mark: string): string {
  return text.slice(text.lastIndexOf(mark) + 1);
}

/** Current code of a second factor (RFC 6238). */
export async function code(secret: string): Promise<string> {
  const bits = Array.from(secret, (letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
  ).join("");
  const bytes = Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-1" }, false, ["sign"]);
  const step = new DataView(new ArrayBuffer(8));
  step.setUint32(4, Math.floor(Date.now() / 30_000));
  const digest = new DataView(await crypto.subtle.sign("HMAC", key, step));
  const offset = digest.getUint8(19) & 15;
  return String((digest.getUint32(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
