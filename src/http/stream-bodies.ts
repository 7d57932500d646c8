/**
 * Bodies that the route reads as a stream, of any size. Many clients send the whole body before they read the
 * response, so the rest of a rejected body is read and discarded up to a limit: closing the connection earlier would
 * hide the error from them.
 */
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { WANTED_TYPES } from "../contract/catalog.ts";
import { AppError } from "../errors.ts";

/** How many bytes of a rejected body are discarded, and for how long, before the connection is closed. */
export type Lingering = { readonly forMs: number; readonly maxBytes: number };

const LINGERING: Lingering = { forMs: 30_000, maxBytes: 256_000_000 };

export function streamBodies(
  scope: FastifyInstance,
  types: readonly string[],
  lingering: Lingering = LINGERING,
): void {
  scope.removeAllContentTypeParsers();
  // Every type is accepted by the parser and rejected below: a parser error closes the connection at once.
  scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
  scope.addHook("preValidation", async (request) => refuseOtherTypes(request, types));
  scope.addHook("onSend", async ({ raw }, reply) => {
    if (raw.complete) return;
    const isLast = !reply.raw.shouldKeepAlive;
    // Without this header Node.js closes right after the response if the caller sent `Connection: close`.
    reply.header("connection", "keep-alive");
    discardRest(raw, lingering);
    if (isLast) reply.raw.once("finish", () => closeAfter(raw));
  });
}

function refuseOtherTypes({ body, headers }: FastifyRequest, types: readonly string[]): void {
  if (body === undefined || types.includes(mediaType(headers["content-type"]))) return;
  throw new AppError("unsupported_media_type", `Send the products as ${WANTED_TYPES}.`);
}

/** The media type without parameters. */
export function mediaType(header: string | undefined): string {
  return header?.split(";")[0]?.trim().toLowerCase() ?? "";
}

/** The charset parameter as sent. */
export function charsetOf(header: string | undefined): string | null {
  return /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(header ?? "")?.[1] ?? null;
}

/** Must begin before the response is sent: afterwards Node.js itself discards the rest, without a limit. */
export function discardRest(raw: IncomingMessage, { forMs, maxBytes }: Lingering = LINGERING): void {
  const { socket } = raw;
  let left = maxBytes;
  const timer = setTimeout(() => socket.destroy(), forMs).unref();
  raw.once("close", () => clearTimeout(timer));
  raw.once("error", () => undefined);
  raw.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.destroy();
  });
  raw.resume();
}

function closeAfter(raw: IncomingMessage): void {
  if (raw.readableEnded) raw.socket.end();
  else raw.once("end", () => raw.socket.end());
}

/** The body's bytes. A reader that stops early leaves the connection open for the response. */
export function bodyBytes(body: unknown): AsyncIterable<Uint8Array> | undefined {
  return isReadable(body) ? body.iterator({ destroyOnReturn: false }) : undefined;
}

const isReadable = (body: unknown): body is Readable =>
  typeof body === "object" && body !== null && "iterator" in body;
