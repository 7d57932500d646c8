/**
 * Keeps our webhooks registered at shops: registers them after the first complete read, checks them once a day and
 * after every change of the source, and removes them with the source. A failure is stored for people to see; syncs by
 * schedule go on.
 */
import { randomBytes } from "node:crypto";
import { AppError, toAppError } from "../../errors.ts";
import { sleep } from "../../lib/async.ts";
import { newId } from "../../lib/id.ts";
import type { ShopHook } from "../../sources/source.ts";
import { ENCRYPTION_PURPOSES } from "../../store/encrypted-columns.ts";
import {
  addShopWebhook,
  claimDueShopWebhook,
  deleteShopWebhook,
  retryShopWebhook,
  saveWebhookState,
  type ShopWebhookRow,
  sourcesWithoutWebhooks,
} from "../../store/shop-webhooks.ts";
import { findSource } from "../../store/sources.ts";
import type { JobDeps } from "../job.ts";

const DAY_S = 86_400;
const RETRY_S = 3_600;
/**
 * After so many failed tries to remove them, webhooks of a removed source are left to the shop, which gives up on an
 * address that answers 404.
 */
const MAX_REMOVAL_TRIES = 24;
const DEADLINE_MS = 60_000;

export async function runShopWebhooks(deps: JobDeps, signal: AbortSignal, everyMs: number): Promise<void> {
  while (!signal.aborted) {
    try {
      await maintainShopWebhooks(deps, signal);
    } catch (error) {
      if (!signal.aborted) deps.log.error({ err: error }, "shop webhooks could not be checked");
    }
    await sleep(everyMs, signal);
  }
}

/** One pass: new ones, and all that are due. */
export async function maintainShopWebhooks(deps: JobDeps, signal: AbortSignal): Promise<void> {
  const { db, connectors, encryption } = deps;
  const kinds = Object.values(connectors).flatMap(({ kind, webhooks }) => (webhooks ? [kind] : []));
  for (const sourceId of await sourcesWithoutWebhooks(db, kinds)) {
    const secret = randomBytes(32).toString("hex");
    const secretEncrypted = encryption.encrypt(secret, ENCRYPTION_PURPOSES.webhookSecret);
    await addShopWebhook(db, { id: newId(), sourceId, secretEncrypted });
  }
  while (!signal.aborted) {
    const row = await claimDueShopWebhook(db);
    if (row === undefined) return;
    await checkOne(deps, row, AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]));
  }
}

async function checkOne(deps: JobDeps, row: ShopWebhookRow, signal: AbortSignal): Promise<void> {
  const { db } = deps;
  const source = row.sourceId === null ? undefined : await findSource(db, row.sourceId);
  const isWanted = source?.enabled === true && source.settings["webhooks"] !== "no";
  if (!isWanted) return removeOne(deps, row, signal);
  const current = { ...row, settings: source.settings, secretsEncrypted: source.secretsEncrypted };
  try {
    await callShop(deps, current, signal, "register");
    const state = { status: "active", message: null, failures: 0, nextCheckS: DAY_S } as const;
    await saveWebhookState(db, current, state);
  } catch (error) {
    const { code, message } = toAppError(error);
    const failures = row.failures + 1;
    deps.log.warn({ source_id: row.sourceId, code }, "shop webhooks are off");
    const nextCheckS = LASTING.has(code) ? DAY_S : RETRY_S;
    await saveWebhookState(db, current, { status: "off", message, failures, nextCheckS });
  }
}

/** Failures that someone has to act on. */
const LASTING: ReadonlySet<string> = new Set([
  "source_unauthorized",
  "source_settings_invalid",
  "source_not_found",
]);

/** With the settings of the last registration: those of the source may be of another shop now. */
async function removeOne(deps: JobDeps, row: ShopWebhookRow, signal: AbortSignal): Promise<void> {
  try {
    await callShop(deps, row, signal, "remove");
    await deleteShopWebhook(deps.db, row.id);
  } catch (error) {
    const failures = row.failures + 1;
    deps.log.warn({ err: toAppError(error) }, "shop webhooks could not be removed");
    if (row.sourceId === null && failures >= MAX_REMOVAL_TRIES) await deleteShopWebhook(deps.db, row.id);
    else await retryShopWebhook(deps.db, row.id, failures, RETRY_S);
  }
}

async function callShop(
  { connectors, decryptSecrets, encryption, http, baseUrl }: JobDeps,
  { id, kind, settings, secretsEncrypted, secretEncrypted }: ShopWebhookRow,
  signal: AbortSignal,
  action: "register" | "remove",
): Promise<void> {
  const webhooks = connectors[kind]?.webhooks;
  if (webhooks === undefined) return;
  if (action === "register" && !baseUrl.startsWith("https://")) {
    const message = `BASE_URL is ${baseUrl}, but shops send webhooks only to https addresses that they can reach. Set BASE_URL, or set webhooks to no.`;
    throw new AppError("source_settings_invalid", message);
  }
  const hook: ShopHook = {
    id,
    url: `${baseUrl}/shop-webhooks/${id}`,
    secret: encryption.decrypt(secretEncrypted, ENCRYPTION_PURPOSES.webhookSecret),
  };
  await webhooks[action]({ ...settings, ...decryptSecrets(secretsEncrypted) }, { http, signal }, hook);
}
