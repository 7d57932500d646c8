import assert from "node:assert/strict";
import { test } from "node:test";
import { closeAfterTests } from "../../test/close-after.ts";
import { freshDb } from "../../test/fresh.ts";
import { seedCatalog } from "../../test/seed.ts";
import type { Queries } from "../store/db.ts";
import { newId } from "../lib/id.ts";
import { enqueueDailyDeliveries, enqueuePublication } from "./deliveries.ts";
import {
  enqueueDelivery,
  findDeliveries,
  finishDelivery,
  pruneDestinationDeliveries,
  startDelivery,
} from "./deliveries.sql.ts";
import {
  claimDestination,
  type DestinationRef,
  extendUploadLease,
  insertDestination,
  lockDestinations,
  releaseUpload,
  updateDestination,
} from "./destinations.sql.ts";
import { DEFAULT_OPTIONS } from "./options.ts";

const db = closeAfterTests(await freshDb());
const LEASE_MS = 60_000;
const SENT = { runId: newId(), file: "acp.csv", etag: "aa" };
const FIELDS = { ...DEFAULT_OPTIONS, name: "x", settings: {}, secretsEncrypted: null };

async function destination(options: Partial<typeof DEFAULT_OPTIONS> = {}): Promise<DestinationRef> {
  // Nothing of an earlier test may be claimed.
  await db.execute({ text: "delete from destinations", values: [] });
  const ref = { catalogId: await seedCatalog(db), id: newId() };
  await insertDestination(db, { ...ref, kind: "sftp", ...FIELDS, ...options }, 9);
  return ref;
}

const run = async (text: string, ...values: readonly unknown[]) => db.execute({ text, values });
const add = async ({ id }: DestinationRef, sent = SENT, cause: "publication" | "request" = "publication") =>
  enqueueDelivery(db, { destinationId: id, cause, ...sent });
const log = async ({ catalogId }: DestinationRef) => findDeliveries(db, catalogId, { limit: 50 });
const claim = async (owner = newId()) => {
  const row = await claimDestination(db, { owner, leaseMs: LEASE_MS });
  return row && { ...row, owner };
};

async function begin({ id }: DestinationRef) {
  const claimed = (await claim()) ?? assert.fail("nothing to claim");
  assert.equal(claimed.id, id);
  const started =
    (await startDelivery(db, { id, sentTo: "sftp://sftp.example:22" }, SENT)) ??
    assert.fail("nothing to start");
  return { ...started, owner: claimed.owner };
}

type Begun = Awaited<ReturnType<typeof begin>>;
const succeed = async ({ id: destinationId }: DestinationRef, { id, owner }: Begun) =>
  db.tx(async (tx) =>
    finishDelivery(tx, {
      id,
      destinationId,
      owner,
      durationMs: 12.3,
      error: null,
      files: [{ name: "a", bytes: 7, remote_bytes: null, sha256: "b" }],
      vanished: 0,
      replacing: "atomic",
      removed: [],
    }),
  );
const fail = async (
  { id: destinationId }: DestinationRef,
  { id, owner, failures }: Begun,
  retryInS: number | null,
) =>
  db.tx(async (tx) =>
    finishDelivery(tx, {
      id,
      destinationId,
      owner,
      durationMs: 1,
      failures: failures + 1,
      retryInS,
      error: { code: "timeout", message: "slow" },
    }),
  );

test("a destination is claimed by one of many workers, also with several deliveries", async () => {
  const to = await destination();
  await add(to);
  await add(to, SENT, "request");

  const claims = await Promise.all(Array.from({ length: 8 }, async () => claim()));

  assert.equal(claims.filter(Boolean).length, 1);
  assert.equal(await claim(), undefined);
});

test("a lease that expires is taken over with its delivery; the earlier owner can write nothing", async () => {
  const to = await destination();
  await add(to);
  const dead = await begin(to);
  await run("update destinations set lease_until = now() - interval '1 second'");

  const next = await begin(to);

  assert.equal(next.id, dead.id);
  assert.equal(next.attempts, 2);
  assert.equal(await extendUploadLease(db, to.id, { owner: dead.owner, leaseMs: 1 }), false);
  assert.equal(await succeed(to, dead), false);
  assert.equal(await succeed(to, next), true);
  const [receipt] = await log(to);
  assert.deepEqual(
    [receipt?.state, receipt?.bytes, receipt?.duration_ms, receipt?.error],
    ["delivered", 7, 12, null],
  );
});

test("a waiting delivery is superseded by a newer one, which keeps its time; a request is due at once", async () => {
  const to = await destination();
  await add(to);
  await fail(to, await begin(to), 3_600);
  const [failed] = await log(to);
  await add(to);
  const [newer, older] = await log(to);
  assert.deepEqual([newer?.state, newer?.next_attempt_at], ["pending", failed?.next_attempt_at]);
  assert.deepEqual([older?.state, older?.error?.code], ["superseded", "timeout"]);
  assert.equal(await claim(), undefined);

  await add(to, SENT, "request");

  const begun = await begin(to);
  assert.equal(begun.failures, 0);
  assert.deepEqual(
    (await log(to)).map(({ state }) => state),
    ["sending", "superseded", "superseded"],
  );
});

test("a delivery that fails while a newer one waits passes its schedule on", async () => {
  const to = await destination();
  await add(to);
  const begun = await begin(to);
  await add(to);

  await fail(to, begun, 60);

  const [newer, older] = await log(to);
  assert.deepEqual([newer?.state, older?.state], ["pending", "superseded"]);
  assert.equal(await claim(), undefined, "it waits as long as the failed one would have");
});

test("after the last attempt it is dead, and the next publication starts anew", async () => {
  const to = await destination();
  await add(to);
  await fail(to, await begin(to), null);
  assert.equal((await log(to))[0]?.state, "dead");

  await add(to);

  assert.equal((await begin(to)).failures, 0);
});

test("a disabled destination gets nothing by schedule, only what is asked for", async () => {
  const to = await destination();
  await add(to);
  await updateDestination(db, to, { ...FIELDS, enabled: false });
  assert.equal(await claim(), undefined);
  await add(to, SENT, "request");

  assert.equal((await claim())?.id, to.id);
});

test("a release waits again without an attempt", async () => {
  const to = await destination();
  await add(to);
  const { owner } = await begin(to);

  await releaseUpload(db, to.id, { owner, delayS: 0 });

  assert.equal((await begin(to)).attempts, 1);
});

test("a publication is queued for enabled destinations of its schedule that do not have the file", async () => {
  const to = await destination();
  const publish = async (etag: string) =>
    enqueuePublication(db, to.catalogId, { runId: newId(), files: [{ file: "acp.csv", etag }] });
  const count = async () => (await log(to)).length;

  await publish("aa");
  await succeed(to, await begin(to));
  await publish("aa");
  assert.equal(await count(), 1);
  await publish("bb");
  assert.equal(await count(), 2);
  await succeed(to, await begin(to));
  await run("update destination_deliveries set finished_at = now() - interval '21 hours', etag = 'bb'");
  await publish("bb");
  assert.equal(await count(), 3);
  await succeed(to, await begin(to));
  await updateDestination(db, to, { ...FIELDS, format: "acp.tsv" });
  await publish("aa");
  assert.equal(await count(), 4);
  await updateDestination(db, to, { ...FIELDS, enabled: false });
  await publish("cc");
  await updateDestination(db, to, { ...FIELDS, schedule: "daily" });
  await publish("cc");
  assert.equal(await count(), 4);
});

test("a daily time that has passed is queued once, by one of many workers, and not without a publication", async () => {
  const to = await destination({ schedule: "daily" });
  const published = async (_tx: Queries) => ({ runId: newId(), files: [{ file: "acp.csv", etag: "aa" }] });
  const enqueue = async () => db.tx(async (tx) => enqueueDailyDeliveries(tx, published));
  await enqueue();
  assert.deepEqual(await log(to), []);
  await run("update destinations set next_daily_at = now() - interval '3 days'");

  await Promise.all([enqueue(), enqueue(), enqueue()]);

  assert.deepEqual(
    (await log(to)).map(({ cause }) => cause),
    ["daily"],
  );
  await run("update destinations set next_daily_at = now()");
  await db.tx(async (tx) => enqueueDailyDeliveries(tx, async () => undefined));
  assert.equal((await log(to)).length, 1);
});

test("old receipts are deleted, except the newest ones", async () => {
  const to = await destination();
  for (let index = 0; index < 3; index++) {
    await add(to);
    await succeed(to, await begin(to));
  }
  await run("update destination_deliveries set finished_at = now() - interval '40 days'");

  await pruneDestinationDeliveries(db, new Date(Date.now() - 30 * 86_400_000));

  assert.equal((await log(to)).length, 1);
});

test("no more destinations than allowed are added, also concurrently", async () => {
  const { catalogId } = await destination();
  const row = { catalogId, kind: "sftp", ...FIELDS } as const;
  const made = await Promise.all(
    Array.from({ length: 10 }, async () =>
      db.tx(async (tx) => {
        await lockDestinations(tx, catalogId);
        return insertDestination(tx, { ...row, id: newId() }, 4);
      }),
    ),
  );
  assert.equal(made.filter(Boolean).length, 3);
});
