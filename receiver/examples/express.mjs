/* oxlint-disable no-console, node/no-process-env -- an example is a whole program: it reads its settings and talks */
/* oxlint-disable typescript/no-unsafe-assignment -- the package these import has no types until it is built */
/**
 * A receiver on Express. Run it: SHELFWIRE_WEBHOOK_SECRET=whsec_… PORT=3000 node express.mjs
 * It verifies, remembers the event's id, answers, and only then works: the service waits 10 seconds at most.
 */
import { work } from "./work.mjs";
import { SignatureError, verify } from "@shelfwire/receiver";
import express from "express";

const secret = process.env.SHELFWIRE_WEBHOOK_SECRET;
const app = express();

// In production: a table with a unique column, so that it outlives a restart and is shared by all processes.
const seen = new Set();

// The raw parser is for this route only. An express.json() before it would consume the bytes.
app.post("/webhooks/shelfwire", express.raw({ type: () => true, limit: "1mb" }), (request, response) => {
  let event;
  try {
    event = verify(request.body ?? "", request.headers["x-service-signature"], secret);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    console.error(error.message);
    response.status(400).type("text/plain").send(error.code);
    return;
  }

  const id = request.headers["webhook-id"];
  const isNew = !seen.has(id);
  seen.add(id);
  response.sendStatus(204);
  if (isNew) setImmediate(work, event);
});

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`listening on port ${server.address().port}`);
});
