/* oxlint-disable no-console, node/no-process-env -- an example is a whole program: it reads its settings and talks */
/* oxlint-disable typescript/no-unsafe-assignment -- the package these import has no types until it is built */
/**
 * A receiver on Fastify. Run it: SHELFWIRE_WEBHOOK_SECRET=whsec_… PORT=3000 node fastify.mjs
 * It verifies, remembers the event's id, answers, and only then works: the service waits 10 seconds at most.
 */
import { work } from "./work.mjs";
import { SignatureError, verify } from "@shelfwire/receiver";
import fastify from "fastify";

const secret = process.env.SHELFWIRE_WEBHOOK_SECRET;
const app = fastify();

// In production: a table with a unique column, so that it outlives a restart and is shared by all processes.
const seen = new Set();

// Inside this plugin JSON stays bytes; the routes outside it keep Fastify's own parser.
app.register(async (webhooks) => {
  webhooks.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    done(null, body);
  });

  webhooks.post("/webhooks/shelfwire", async (request, reply) => {
    const event = verify(request.body ?? "", request.headers["x-service-signature"], secret);

    const id = request.headers["webhook-id"];
    if (!seen.has(id)) setImmediate(work, event);
    seen.add(id);
    return reply.code(204).send();
  });

  webhooks.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof SignatureError)) throw error;
    console.error(error.message);
    return reply.code(400).type("text/plain").send(error.code);
  });
});

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT ?? 3000) });
console.log(`listening on port ${app.server.address().port}`);
