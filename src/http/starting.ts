/** Responds while the database is not available at the start: alive, not ready, retry soon. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { PROBLEM_TYPE } from "../contract/problem.ts";
import { type AppError, ERRORS } from "../errors.ts";
import { newId } from "../lib/id.ts";

const RETRY_AFTER_S = 5;

/** Resolves with the function that stops it and frees the port. */
export async function answerWhileStarting(
  where: { readonly host: string; readonly port: number },
  failure: () => AppError | undefined,
): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    if (request.url === "/healthz") json(response, 200, "application/json", { status: "ok" });
    else answerUnavailable(response, failure());
  });
  server.listen(where);
  await once(server, "listening");
  return async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
}

function answerUnavailable(response: ServerResponse, failure: AppError | undefined): void {
  const code = failure?.code ?? "database_unavailable";
  const requestId = newId();
  response.setHeader("retry-after", RETRY_AFTER_S);
  response.setHeader("x-request-id", requestId);
  json(response, 503, PROBLEM_TYPE, {
    type: `urn:shelfwire:problem:${code}`,
    title: ERRORS[code].title,
    status: 503,
    detail:
      code === "database_read_only" && failure
        ? `The service is starting. ${failure.message}`
        : "The service is starting and waits for its database. Try again in a moment.",
    code,
    request_id: requestId,
  });
}

/** The connection is closed after the response, so that the port is free for the application. */
function json(response: ServerResponse, status: number, type: string, body: object): void {
  response
    .writeHead(status, { "content-type": type, "cache-control": "no-store", connection: "close" })
    .end(JSON.stringify(body));
}
