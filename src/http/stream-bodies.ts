/**
 * Bodies that are handed to the route as they arrive, unread and of any size. Whatever the route leaves unread when it
 * has answered is thrown away for a moment, so that the caller gets to see the answer; then the connection is closed.
 */
import type { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";

const LINGER_MS = 2_000;

export function streamBodies(scope: FastifyInstance, types: readonly string[]): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser([...types], (_request, payload, done) => done(null, payload));
  scope.addHook("onResponse", async ({ raw }) => {
    if (!raw.complete) setTimeout(() => raw.destroy(), LINGER_MS).unref();
  });
}

/** The body's bytes. A reader that stops early leaves the connection open for the answer. */
export function bodyBytes(body: unknown): AsyncIterable<Uint8Array> | undefined {
  return isReadable(body) ? body.iterator({ destroyOnReturn: false }) : undefined;
}

const isReadable = (body: unknown): body is Readable =>
  typeof body === "object" && body !== null && "iterator" in body;
