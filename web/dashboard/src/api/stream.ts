// Server-sent events, through the same client as all requests. A refusal is an `ApiFailure`; `EventSource` does not
// report its reason.

import { client } from "./client";
import { ApiFailure, noAnswer } from "./failure";
import type { GetPath } from "./query";

/** A message: its name, and its data as text. */
export interface StreamMessage {
  name: string;
  data: string;
}

const untyped = client as unknown as {
  GET: (path: string, init: object) => Promise<{ data?: ReadableStream<Uint8Array<ArrayBuffer>> }>;
};

/**
 * Yields the messages of a stream until the server ends it. If nothing comes for `silenceMs`, not even a comment, the
 * connection counts as lost.
 */
export async function* messages(
  path: GetPath,
  params: object,
  silenceMs: number,
  signal: AbortSignal,
): AsyncGenerator<StreamMessage> {
  const { data } = await untyped.GET(path, { params, signal, parseAs: "stream" });
  if (data === undefined) return;
  const reader = data.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await within(silenceMs, reader.read());
      if (done) return;
      const parts = (text + value).split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const message = parse(part);
        if (message !== undefined) yield message;
      }
    }
  } catch (thrown) {
    throw thrown instanceof ApiFailure || signal.aborted ? thrown : noAnswer();
  } finally {
    // A caller that leaves the loop is done with the connection.
    await reader.cancel().catch(() => {});
  }
}

/** Parses one message; undefined for comments. */
export function parse(lines: string): StreamMessage | undefined {
  let name = "message";
  const data: string[] = [];
  for (const line of lines.split("\n")) {
    const [, field, value] = /^(event|data): ?(.*)$/.exec(line) ?? [];
    if (field === "event" && value) name = value;
    if (field === "data" && value !== undefined) data.push(value);
  }
  return data.length > 0 ? { name, data: data.join("\n") } : undefined;
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ApiFailure("The connection was lost.", {})), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
