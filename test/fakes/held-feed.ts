/** A shop's feed that begins to answer and then waits for the test, so that a sync is in the middle of its read. */
import { createServer, type ServerResponse } from "node:http";
import { serving } from "../../src/lib/outbound/loopback.fixture.ts";

export type HeldFeed = {
  readonly url: string;
  /** Resolves when the first request has arrived. */
  readonly asked: Promise<void>;
  /** Sends the feed to all waiting requests, and to later ones at once. */
  readonly release: () => void;
} & AsyncDisposable;

export async function heldFeed(body: string): Promise<HeldFeed> {
  const asked = Promise.withResolvers<void>();
  const waiting: ServerResponse[] = [];
  let isOpen = false;
  const server = createServer((_request, response) => {
    response.flushHeaders();
    if (isOpen) response.end(body);
    else waiting.push(response);
    asked.resolve();
  });
  const { origin, close } = await serving(server);
  return {
    url: `${origin}/feed.csv`,
    asked: asked.promise,
    release: () => {
      isOpen = true;
      for (const response of waiting) response.end(body);
    },
    [Symbol.asyncDispose]: close,
  };
}
