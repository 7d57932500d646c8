/**
 * Distinguishes a wrong method from a wrong address. Every address gets a second route for all other methods, which
 * responds with 405 and `Allow`; everything else is a 404.
 */
import type { FastifyInstance, HTTPMethods } from "fastify";
import { AppError, ERRORS } from "../errors.ts";
import type { NotFoundPage } from "./console-files.ts";
import { sendProblem } from "./errors.ts";

const METHODS: readonly HTTPMethods[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Call before the routes are registered; call `register` after all of them. */
export function answerWrongMethods(
  app: FastifyInstance,
  page: NotFoundPage = () => undefined,
): { readonly register: () => void } {
  const taken = new Map<string, Set<HTTPMethods>>();
  let isOpen = true;
  app.addHook("onRoute", ({ url, method }) => {
    if (!isOpen) return;
    const methods = taken.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    taken.set(url, methods);
  });
  app.setNotFoundHandler(
    (request, reply) =>
      page(request, reply) ?? sendProblem(request, reply, new AppError("not_found", ERRORS.not_found.title)),
  );

  return {
    register: () => {
      isOpen = false;
      for (const [url, methods] of taken) {
        const allow = [...methods].join(", ");
        app.route({
          method: METHODS.filter((method) => !methods.has(method)),
          url,
          schema: { hide: true },
          onRequest: async (request, reply) => {
            const detail = `${request.method} is not supported here; use ${allow}.`;
            const error = new AppError("method_not_allowed", detail);
            return sendProblem(request, reply.header("allow", allow), error);
          },
          handler: async () => undefined,
        });
      }
    },
  };
}
