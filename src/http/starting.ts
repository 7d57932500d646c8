/** Responds while the database is not available at the start: alive, not ready, retry soon. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { PROBLEM_TYPE } from "../contract/problem.ts";
import { ERRORS } from "../errors.ts";
import { newId } from "../lib/id.ts";

const RETRY_AFTER_S = 5;

/** Resolves with the function that stops it and frees the port. */
export async function answerWhileStarting(where: {
  readonly host: string;
  readonly port: number;
}): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    if (request.url === "/healthz") json(response, 200, "application/json", { status: "ok" });
    else answerUnavailable(response);
  });
  server.listen(where);
  await once(server, "listening");
  return async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
}

function answerUnavailable(response: ServerResponse): void {
  const requestId = newId();
  response.setHeader("retry-after", RETRY_AFTER_S);
  response.setHeader("x-request-id", requestId);
  json(response, 503, PROBLEM_TYPE, {
    type: "urn:shelfwire:problem:database_unavailable",
    title: ERRORS.database_unavailable.title,
    status: 503,
    detail: "The service is starting and waits for its database. Try again in a moment.",
    code: "database_unavailable",
    request_id: requestId,
  });
}

/** The connection is closed after the response, so that the port is free for the application. */
function json(response: ServerResponse, status: number, type: string, body: object): void {
  response
    .writeHead(status, { "content-type": type, "cache-control": "no-store", connection: "close" })
    .end(JSON.stringify(body));
}
