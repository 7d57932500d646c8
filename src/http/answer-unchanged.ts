/**
 * Answers requests for unchanged feeds (304) before the framework sees them: most readers ask every few minutes and
 * almost nothing has changed. The answer is the one that the route would give, and it is recorded like any other.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { requestIdOf } from "./answered-request.ts";
import type { AnsweredRequest } from "./answered-request.ts";
import type { HostedFeeds } from "./hosted-feed.ts";
import type { SlowClients } from "./slow-clients.ts";

export type UnchangedDeps = {
  readonly feeds: HostedFeeds;
  readonly clients: SlowClients;
  readonly record: (answered: AnsweredRequest) => void;
};

/** Call when all other listeners for requests are there. Returns the function that stops it. */
export function answerUnchanged(server: Server, { feeds, clients, record }: UnchangedDeps): () => void {
  const others = server.listeners("request");
  let isStopped = false;
  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const unchanged = isStopped ? undefined : feeds.findUnchanged(request);
    if (unchanged === undefined) {
      for (const listener of others) listener.call(server, request, response);
      return;
    }
    const began = performance.now();
    const requestId = requestIdOf(request);
    response.once("finish", () => {
      unchanged.onSent();
      const { method = "" } = request;
      record({ requestId, method, route: feeds.route, status: 304, durationMs: performance.now() - began });
    });
    response.writeHead(304, ["x-request-id", requestId, ...unchanged.headers]).end();
    // A few hundred bytes are sent at once, unless the client does not read.
    if (response.writableLength > 0) clients.watchAnswer(response, 0);
  });
  return () => {
    isStopped = true;
  };
}
