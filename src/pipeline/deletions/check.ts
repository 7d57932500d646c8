/**
 * Finds deleted products between syncs. Every hour each shop is asked what was deleted, or, if it does not say, for the
 * ids of all products. A product that is missing is noted as if the shop had reported it: a sync reads it by its id,
 * and removes its items only if the shop does not have it then either. Nothing is removed here.
 */
import { AppError, toAppError } from "../../errors.ts";
import { sleep } from "../../lib/async.ts";
import { counted, formatCount } from "../../lib/counted.ts";
import type { ShopIds } from "../../sources/source.ts";
import { noteChangedProducts } from "../../store/changed-products.ts";
import {
  CHECK_EVERY_S,
  claimDueDeletionCheck,
  type DeletionCheck,
  eachItemProduct,
  saveDeletionCheck,
} from "../../store/deletion-checks.ts";
import { findRejections, findSource, type SourceRow } from "../../store/sources.ts";
import type { JobDeps } from "../job.ts";
import { sinceOf } from "../sync/read-state.ts";
import { canCheck } from "./describe.ts";

/** How many shops are asked at a time, so that one that does not answer delays few others. */
const CONCURRENCY = 3;
const DEADLINE_MS = 10 * 60_000;
/** A check that takes long is made less often: at most a twentieth of the time goes into checks of one shop. */
const PAUSE_FACTOR = 20;
/** More products than this share are never deleted at once: the list was probably incomplete. */
const MAX_MISSING_RATIO = 0.5;

export async function runDeletionChecks(deps: JobDeps, signal: AbortSignal, everyMs: number): Promise<void> {
  while (!signal.aborted) {
    try {
      await Promise.all(Array.from({ length: CONCURRENCY }, async () => checkDueSources(deps, signal)));
    } catch (error) {
      if (!signal.aborted) deps.log.error({ err: error }, "shops could not be checked for deleted products");
    }
    await sleep(everyMs, signal);
  }
}

/** Checks all sources that are due, one after the other. */
export async function checkDueSources(deps: JobDeps, signal: AbortSignal): Promise<void> {
  const kinds = Object.values(deps.connectors).flatMap(({ kind, ids }) => (ids ? [kind] : []));
  while (!signal.aborted) {
    const sourceId = await claimDueDeletionCheck(deps.db, kinds);
    if (sourceId === undefined) return;
    const source = await findSource(deps.db, sourceId);
    if (source) await checkSource(deps, source, signal);
  }
}

async function checkSource(deps: JobDeps, source: SourceRow, signal: AbortSignal): Promise<void> {
  const { connectors, decryptSecrets } = deps;
  const settings = { ...source.settings, ...decryptSecrets(source.secretsEncrypted) };
  const connector = connectors[source.kind];
  if (!canCheck(connector, settings)) return;
  const began = performance.now();
  const found = await findDeleted(deps, source, async (deadline) => {
    const context = { http: deps.http, signal: AbortSignal.any([signal, deadline]) };
    return connector.ids(settings, context, source.readState && sinceOf(source.readState));
  });
  if (signal.aborted) return;
  const tookS = (performance.now() - began) / 1_000;
  const everyS = Math.max(CHECK_EVERY_S, Math.ceil(tookS * PAUSE_FACTOR));
  await saveDeletionCheck(deps.db, source.id, { ...found, everyS, checkedAt: new Date().toISOString() });
}

type DeletionSearchResult = Pick<DeletionCheck, "method" | "missing" | "message">;

/** Notes what is missing, or says why that could not be found out. */
async function findDeleted(
  deps: JobDeps,
  source: SourceRow,
  ask: (deadline: AbortSignal) => Promise<ShopIds>,
): Promise<DeletionSearchResult> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  try {
    return await compare(deps, source, await ask(deadline));
  } catch (error) {
    const { code, message } = deadline.aborted ? tooSlow() : toAppError(error);
    deps.log.warn({ source_id: source.id, code }, "a shop could not be checked for deleted products");
    return { method: null, missing: source.deletionCheck?.missing ?? [], message };
  }
}

function tooSlow(): AppError {
  const minutes = DEADLINE_MS / 60_000;
  return new AppError("source_timeout", `The shop did not list its ids within ${minutes} minutes.`);
}

/**
 * Notes what is missing. Products that were noted by the last check are not noted again: a sync has found them, or will
 * read them.
 */
async function compare({ db }: JobDeps, source: SourceRow, ids: ShopIds): Promise<DeletionSearchResult> {
  const method = ids.kind === "deleted" ? "events" : "id_listing";
  const { all, missing } = await missingProducts(db, source, ids);
  const limit = Math.min(source.maxRemovedRatio, MAX_MISSING_RATIO);
  if (missing.size > all.size * limit) {
    const message = `${formatCount(missing.size)} of ${counted(all.size, "product")} are missing from the shop's list. That is more than ${Math.round(limit * 100)} %, so the list is probably incomplete and nothing was removed. The next full read removes what is really gone.`;
    return { method, missing: [], message };
  }
  const noted = new Set(source.deletionCheck?.missing);
  await noteChangedProducts(db, source.id, [...missing.difference(noted)]);
  return { method, missing: [...missing], message: null };
}

/**
 * The products that this source has here, with accepted or rejected rows, and those of them that the shop does not
 * have.
 */
async function missingProducts(
  db: JobDeps["db"],
  { id: sourceId, catalogId }: SourceRow,
  ids: ShopIds,
): Promise<{ readonly all: ReadonlySet<string>; readonly missing: Set<string> }> {
  const all = new Set<string>();
  const missing = new Set<string>();
  const isGone = goneTest(ids);
  const see = (product: string, item: string | null): void => {
    all.add(product);
    if (isGone(product, item)) missing.add(product);
  };
  for await (const page of eachItemProduct(db, { catalogId, sourceId }))
    for (const { id, product } of page) see(product, id);
  for (const { product, itemId } of await findRejections(db, sourceId)) see(product, itemId);
  return { all, missing };
}

function goneTest(ids: ShopIds): (product: string, item: string | null) => boolean {
  if (ids.kind === "listed") return (product, item) => !ids.has(product, item);
  const deleted = new Set(ids.products);
  return (product) => deleted.has(product);
}
