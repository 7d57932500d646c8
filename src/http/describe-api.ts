/** GET /api/v1: what this is, for a person or a program that has found the address. It needs no key. */
import type { FastifyInstance } from "fastify";

export function describeApi(
  scope: FastifyInstance,
  { baseUrl, version = "unknown" }: { readonly baseUrl: string; readonly version?: string },
): void {
  const at = (path: string): string => `${baseUrl}${path}`;
  scope.get("/", { schema: { hide: true }, prefixTrailingSlash: "no-slash" }, async (_request, reply) =>
    reply.header("cache-control", "no-store").send({
      data: {
        name: "Shelfwire",
        description: "Hosted catalog feeds, source syncs and webhooks.",
        api_version: "1",
        version,
        authentication: "Authorization: Bearer <API key>",
        links: {
          self: at("/api/v1"),
          openapi: at("/api/v1/openapi.json"),
          docs: at("/docs"),
          health: at("/healthz"),
        },
      },
    }),
  );
}
