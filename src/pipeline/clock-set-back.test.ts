/**
 * The clock of the database was 60 days ahead while something was scheduled, and is right again. Every queue does it at
 * once instead of 60 days later. `webhooks/dispatcher.test.ts` has the same for webhooks.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { clockedDb, type ClockedDb } from "../../test/database-clock.ts";
import { seedCatalog, seedRun, seedSource } from "../../test/seed.ts";
import { enqueueDelivery, finishDelivery, startDelivery } from "../destinations/deliveries.sql.ts";
import { claimDaily, claimDestination, insertDestination } from "../destinations/destinations.sql.ts";
import { DEFAULT_OPTIONS } from "../destinations/options.ts";
import { newId } from "../lib/id.ts";
import { claimMail, enqueueMail, finishMail } from "../store/alert-mails.ts";
import { addMissingSettings, claimChecks, lockChecks, saveAlertSettings } from "../store/alert-settings.ts";
import { enqueueReportedChanges, noteChangedProducts } from "../store/changed-products.ts";
import { claimRun } from "../store/run-claims.ts";
import { listRuns, retryRun } from "../store/runs.ts";
import { addShopWebhook, claimDueShopWebhook, retryShopWebhook } from "../store/shop-webhooks.ts";
import { claimDueSources } from "../store/sources.ts";

const DAYS_60_S = 60 * 86_400;
const OWNER = newId();
const LEASE = { owner: OWNER, leaseMs: 60_000 };

/** What is scheduled while the clock is ahead, and what is claimed when it is right again. */
type Queue = (db: ClockedDb, catalogId: string) => Promise<() => Promise<number>>;

async function seedDestination(db: ClockedDb, catalogId: string, schedule: "publication" | "daily") {
  const id = newId();
  const options = { ...DEFAULT_OPTIONS, schedule, name: "x", settings: {}, secretsEncrypted: null };
  await insertDestination(db, { id, catalogId, kind: "sftp", ...options, dailyAt: "07:00" }, 9);
  return id;
}

const SENT = { runId: newId(), file: "acp.csv", etag: "aa" };

const QUEUES: Readonly<Record<string, Queue>> = {
  "a scheduled sync": async (db, catalogId) => {
    await seedSource(db, catalogId);
    assert.equal((await claimDueSources(db, 9)).length, 1);
    return async () => (await claimDueSources(db, 9)).length;
  },
  "a run that is retried": async (db, catalogId) => {
    const id = await seedRun(db, catalogId, { kind: "render" });
    await claimRun(db, LEASE);
    const error = { code: "internal", message: "x" };
    await retryRun(db, { id, owner: OWNER }, { delayMs: 60_000, error });
    return async () => ((await claimRun(db, LEASE)) ? 1 : 0);
  },
  "an upload that is retried": async (db, catalogId) => {
    const destinationId = await seedDestination(db, catalogId, "publication");
    await enqueueDelivery(db, { destinationId, cause: "publication", ...SENT });
    await claimDestination(db, LEASE);
    const started = await startDelivery(db, { id: destinationId, sentTo: "x" }, SENT);
    const error = { code: "timeout", message: "slow" } as const;
    const end = { id: started?.id ?? "", destinationId, owner: OWNER, durationMs: 1, failures: 1 };
    assert.ok(await finishDelivery(db, { ...end, error, retryInS: 60 }));
    return async () => ((await claimDestination(db, LEASE)) ? 1 : 0);
  },
  "an upload whose worker died": async (db, catalogId) => {
    const destinationId = await seedDestination(db, catalogId, "publication");
    await enqueueDelivery(db, { destinationId, cause: "publication", ...SENT });
    await claimDestination(db, LEASE);
    await startDelivery(db, { id: destinationId, sentTo: "x" }, SENT);
    return async () => ((await claimDestination(db, LEASE)) ? 1 : 0);
  },
  "a daily upload": async (db, catalogId) => {
    await seedDestination(db, catalogId, "daily");
    return async () => (await claimDaily(db, 9)).length;
  },
  "a mail that is retried": async (db, catalogId) => {
    const mail = { catalogId, mailId: newId(), recipients: ["a@shop.example"], refersTo: [] };
    await enqueueMail(db, { ...mail, subject: "s", text: "t", html: "h" });
    const lease = { owner: OWNER, leaseS: 60 };
    const claimed = await claimMail(db, lease);
    const end = { state: "pending", error: "x", delayS: 60 } as const;
    assert.ok(await finishMail(db, { id: claimed?.id ?? "", owner: OWNER }, end));
    return async () => ((await claimMail(db, lease)) ? 1 : 0);
  },
  "a digest": async (db, catalogId) => {
    await addMissingSettings(db);
    await saveAlertSettings(db, catalogId, { recipients: ["a@shop.example"], digestAt: "07:00" });
    return async () => {
      const claimed = await claimChecks(db, { before: "infinity", limit: 9 });
      const locked = await lockChecks(db, claimed);
      return locked.filter(({ isDigestDue }) => isDigestDue).length;
    };
  },
  "a check of shop webhooks": async (db, catalogId) => {
    const [id, sourceId] = [newId(), await seedSource(db, catalogId)];
    await addShopWebhook(db, { id, sourceId, secretEncrypted: Buffer.from("x") });
    await retryShopWebhook(db, id, 1, 3_600);
    return async () => ((await claimDueShopWebhook(db)) ? 1 : 0);
  },
  "a sync of products that a shop reported": async (db, catalogId) => {
    const sourceId = await seedSource(db, catalogId);
    await noteChangedProducts(db, sourceId, ["1"]);
    await noteChangedProducts(db, sourceId, ["1"]);
    return async () => {
      await enqueueReportedChanges(db);
      return (await listRuns(db, catalogId, { kind: "sync", limit: 9 })).length;
    };
  },
};

for (const [name, schedule] of Object.entries(QUEUES)) {
  test(`${name} does not wait for the clock to be 60 days ahead again`, async () => {
    await using db = await clockedDb({ start: new Date().toISOString() });
    const catalogId = await seedCatalog(db);
    await db.clock.advance(DAYS_60_S);
    const claim = await schedule(db, catalogId);

    await db.clock.advance(-DAYS_60_S);

    assert.equal(await claim(), 1);
  });
}
