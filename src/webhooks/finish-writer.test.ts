import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import {
  anyDue,
  attemptIn,
  deliveryFacts,
  seedEndpoint,
  seedEvent,
  testClock,
} from "../../test/fakes/receiver-seed.ts";
import { AppError } from "../errors.ts";
import { newId } from "../lib/id.ts";
import { claimDeliveries } from "./queue.sql.ts";
import type { ClaimedDelivery } from "./queue.sql.ts";
import type { Finish } from "./finish.sql.ts";
import { DISPATCHER_DEFAULTS } from "./dispatcher.ts";
import { createFinishWriter } from "./finish-writer.ts";

const { now } = testClock();
const monotonicMs = () => performance.now();
const never = new AbortController().signal;
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

const delivered = ({ id, token }: ClaimedDelivery): Finish => ({
  id,
  token,
  state: "delivered",
  retryInS: null,
  attempt: attemptIn(now()),
});

test("a batch that waits for a lock does not hold up another", async () => {
  await using db = await freshDb();
  const catalogId = await seedCatalog(db);
  for (let i = 0; i < 2; i += 1) await seedEndpoint(db, catalogId);
  await seedEvent(db, catalogId, { at: now() });
  const [locked, free] = await claimDeliveries(db, anyDue());
  assert.ok(locked && free);
  const write = createFinishWriter({ db, log: quiet, monotonicMs, signal: never }, DISPATCHER_DEFAULTS);

  const { waiting } = await db.tx(async (tx) => {
    await tx.query({ text: "select 1 from webhook_queue where id = $1 for update", values: [locked.id] });
    const first = write(delivered(locked), locked.leaseEndsMs);
    // The first batch is being written when the second one begins to fill.
    await new Promise((resolve) => setTimeout(resolve, 2 * DISPATCHER_DEFAULTS.batchMs));
    assert.equal(await write(delivered(free), free.leaseEndsMs), "finished");
    return { waiting: first };
  });

  assert.equal(await waiting, "finished");
  assert.deepEqual(
    (await deliveryFacts(db)).map(({ state }) => state),
    ["delivered", "delivered"],
  );
});

test("a writer that is stopped while the database is away tries once more and gives up", async () => {
  const stop = new AbortController();
  let tries = 0;
  const query = async () => {
    tries += 1;
    if (tries === 2) stop.abort();
    throw new AppError("database_unavailable", "It is away.");
  };
  const db = { query, first: query, execute: query, tx: query };
  const write = createFinishWriter({ db, log: quiet, monotonicMs, signal: stop.signal }, DISPATCHER_DEFAULTS);
  const finish: Finish = {
    id: newId(),
    token: newId(),
    state: "delivered",
    retryInS: null,
    attempt: attemptIn(now()),
  };

  const written = await write(finish, monotonicMs() + 3_600_000);

  assert.equal(written, "lost");
  assert.equal(tries, 3);
});
