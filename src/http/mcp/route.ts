/**
 * POST /mcp: the MCP server over HTTP, without sessions. Every request has an API key and counts as one call of its
 * rate limit; a batch of messages would be many calls, so it is refused.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../../errors.ts";
import { type ApiDeps, changeLogFor, disconnectSignal, type Frame } from "../api.ts";
import { authenticate, requireCatalog, requireScope } from "../auth.ts";
import { type McpDeps, openMcp } from "./server.ts";

export function mcpRoute(
  app: FastifyInstance,
  deps: ApiDeps & McpDeps,
  { limit, limitWrongKeys, heavy, stopping }: Frame,
): void {
  const mcp = openMcp(deps);
  app.route({
    method: "POST",
    url: "/mcp",
    schema: { hide: true },
    onRequest: async (request) => {
      request.caller = await limitWrongKeys(request, async () => authenticate(deps.db, request));
    },
    // Before the body is read: a rejected caller learns nothing about bodies.
    preParsing: [
      ...(limit ? [limit] : []),
      async ({ caller }: FastifyRequest) => {
        if (!caller) return;
        requireScope(caller, "read");
        requireCatalog(caller);
      },
      ...(heavy ? [heavy("page")] : []),
    ],
    handler: async (request, reply) => {
      const { caller, body, id: requestId } = request;
      if (!caller) throw new AppError("unauthorized", "No API key was checked for this call.");
      if (Array.isArray(body))
        throw new AppError("invalid_request", "Send one message in a request; batches are not supported.");
      const { createMcpHandler } = await import("@modelcontextprotocol/server");
      const serverFor = async () => mcp.serverFor({ caller, changeLog: changeLogFor(request), requestId });
      // No lists change while a client is connected: there is nothing to subscribe to.
      const handler = createMcpHandler(serverFor, { maxSubscriptions: 0 });
      const signal = AbortSignal.any([stopping, disconnectSignal(reply)]);
      const answer = await handler.fetch(webRequest(request, signal), { parsedBody: body });
      const bytes = Buffer.from(await answer.arrayBuffer());
      await handler.close();
      return reply
        .code(answer.status)
        .headers(Object.fromEntries(answer.headers))
        .header("cache-control", "no-store")
        .send(bytes.length === 0 ? undefined : bytes);
    },
  });
}

/** The body has been read. */
function webRequest({ headers, body }: FastifyRequest, signal: AbortSignal): Request {
  const texts = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || name === "content-length" || name === "connection" ? [] : [[name, String(value)]],
  );
  return new Request("http://localhost/mcp", {
    method: "POST",
    headers: texts,
    body: JSON.stringify(body ?? null),
    signal,
  });
}
