/**
 * `POST /shop-webhooks/<id>`: what shops send when a product changes. Bodies are kept as bytes, because the signature
 * is over them.
 */
import type { FastifyInstance } from "fastify";
import { AppError, ERRORS } from "../errors.ts";
import { receiveShopWebhook } from "../pipeline/shop-webhooks/receive.ts";
import { decryptSecrets } from "../setup/sources.ts";
import { CONNECTORS } from "../sources/registry.ts";
import type { ApiDeps } from "./api.ts";

/** The largest products of WooCommerce, which sends them whole, have some hundred kilobytes. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const WINDOW_MS = 60_000;
/** A shop in which more changes is read in full anyway. */
const MAX_PER_WINDOW = 1_200;

type ShopWebhookDeps = Pick<ApiDeps, "db" | "encryption"> & { readonly rateLimitPerMinute: number };

export async function shopWebhookRoutes(app: FastifyInstance, deps: ShopWebhookDeps): Promise<void> {
  const { db, encryption } = deps;
  const receiving = { db, encryption, connectors: CONNECTORS, decryptSecrets: decryptSecrets(encryption) };
  const isOver = deps.rateLimitPerMinute === 0 ? () => false : fixedWindow();
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    scope.route<{ Params: { id: string } }>({
      method: "POST",
      url: "/shop-webhooks/:id",
      bodyLimit: MAX_BODY_BYTES,
      schema: { hide: true },
      handler: async ({ params: { id }, headers, body }, reply) => {
        if (isOver(id))
          throw new AppError("rate_limited", "Too many webhooks. Send them again later.", {
            retryAfterS: 60,
          });
        const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
        const received = await receiveShopWebhook(receiving, id, { headers, body: bytes });
        if (received === "unknown") throw new AppError("not_found", ERRORS.not_found.title);
        if (received === "not_authentic")
          throw new AppError("unauthorized", "The signature of this webhook is missing or wrong.");
        return reply.code(200).send("");
      },
    });
  });
}

/** Counts by address; all counts begin anew together. */
function fixedWindow(): (id: string) => boolean {
  let counts = new Map<string, number>();
  let until = 0;
  return (id) => {
    if (performance.now() >= until) {
      counts = new Map();
      until = performance.now() + WINDOW_MS;
    }
    const count = (counts.get(id) ?? 0) + 1;
    // Wrong addresses must not fill the memory.
    if (counts.size < 10_000 || count > 1) counts.set(id, count);
    return count > MAX_PER_WINDOW;
  };
}
