/**
 * One sync, step by step: read the source into staging, check the numbers, merge, and in the same transaction
 * finish the run and ask for the render. Nothing live is touched while the source is being read; if anything goes
 * wrong, nothing happened, and the run says why.
 */
import { encodeItem } from "../catalog/fingerprint.ts";
import { normalize } from "../catalog/normalize.ts";
import { AppError } from "../errors.ts";
import { newId } from "../lib/id.ts";
import type { Connector, SourceEvent, Validators } from "../sources/source.ts";
import { findCatalog, lockCatalog } from "../store/catalogs.ts";
import type { Catalog } from "../store/catalogs.ts";
import type { Queries } from "../store/db.ts";
import { applyDifference, measureDifference, refuseForeign, refuseRepeated } from "../store/merge.ts";
import type { Difference, Refused } from "../store/merge.ts";
import { enqueueRun, lastGoodSync } from "../store/runs.ts";
import { findSource, keepValidators } from "../store/sources.ts";
import type { SourceRow } from "../store/sources.ts";
import { openStaging } from "../store/staging.ts";
import type { Staging } from "../store/staging.ts";
import { balance, EMPTY_STATS, Ledger, MAX_REJECTIONS } from "./ledger.ts";
import type { SyncStats } from "./ledger.ts";
import type { Job, JobDeps } from "./job.ts";
import { withSpool } from "./spool.ts";

/** How the read ended: with everything in staging, or with the source's word that nothing has changed. */
type ReadEnd = Extract<SourceEvent, { kind: "end" | "unchanged" }>;

export async function syncSource(deps: JobDeps, job: Job): Promise<SyncStats> {
  const { source, catalog, connector, settings } = await prepare(deps, job);
  return withSpool(deps.spoolRoot, async (spoolDir) => {
    const ledger = new Ledger();
    job.progress(() => ledger.stats({ upserted: 0, unchanged: 0, removed: 0 }));
    await using events = connector.read(settings, {
      http: deps.http,
      signal: job.signal,
      spoolDir,
      previous: source.validators,
      extent: "whole",
    });
    // The first event is what a slow shop keeps us waiting for; no connection to the database waits with us.
    const first = await events.next();
    return await deps.db.session(async (session) => {
      const staging = await openStaging(session);
      const end = await readInto(staging, ledger, { first, events, catalog, signal: job.signal });
      if (end.kind === "unchanged")
        return session.tx(async (tx) => keepAsIs(tx, job, source, end.validators));

      checkTotal(end.expected, ledger.seen);
      await staging.seal();
      return session.tx(async (tx) => merge(tx, job, { source, ledger, validators: end.validators }));
    });
  });
}

async function prepare({ db, connectors, openSecrets }: JobDeps, { run }: Job) {
  const source = run.sourceId === null ? undefined : await findSource(db, run.sourceId);
  const catalog = await findCatalog(db, run.catalogId);
  if (!source || !catalog) {
    throw new AppError("unknown_source", "The source was removed before its sync began.");
  }
  const connector: Connector | undefined = connectors[source.kind];
  if (!connector)
    throw new AppError("source_settings_invalid", `There is no connector of kind "${source.kind}".`);
  return {
    source,
    catalog,
    connector,
    settings: { ...source.settings, ...openSecrets(source.secretsSealed) },
  };
}

type Reading = {
  readonly first: IteratorResult<SourceEvent, void>;
  readonly events: AsyncGenerator<SourceEvent, void, void>;
  readonly catalog: Catalog;
  readonly signal: AbortSignal;
};

/** Normalizes what the source yields into staging, and counts. Only a read that says it is complete counts. */
async function readInto(
  staging: Staging,
  ledger: Ledger,
  { first, events, catalog, signal }: Reading,
): Promise<ReadEnd> {
  for (let step = first; step.done !== true; step = await events.next()) {
    const event = step.value;
    signal.throwIfAborted();
    switch (event.kind) {
      case "draft": {
        const full = stage(event, { staging, ledger, catalog });
        if (full) await full;
        break;
      }
      case "rejected":
        ledger.seen += 1;
        ledger.reject(event.rejection);
        break;
      case "warning":
        ledger.warn(event.warning);
        break;
      case "end":
      case "unchanged":
        return event;
      default:
        event satisfies never;
    }
  }
  throw new AppError(
    "source_incomplete",
    "The source stopped before its list was complete, so nothing was changed.",
  );
}

type Drafted = Extract<SourceEvent, { kind: "draft" }>;
type Desk = { readonly staging: Staging; readonly ledger: Ledger; readonly catalog: Catalog };

/** One draft into staging or into the rejections. A promise only when staging must catch up: this runs a million times. */
function stage({ position, draft, decimalMark }: Drafted, { staging, ledger, catalog }: Desk) {
  ledger.seen += 1;
  const { settings } = catalog;
  const result = normalize(draft, decimalMark ? { position, settings, decimalMark } : { position, settings });
  if (result.kind === "rejected") {
    ledger.reject(result.rejection);
    return undefined;
  }
  ledger.accepted += 1;
  for (const warning of result.warnings) ledger.warn(warning);
  const { id, groupId = null } = result.item;
  const { fingerprint, body } = encodeItem(result.item);
  return staging.add({ position, id, groupId, fingerprint, body });
}

function checkTotal(expected: number | null, seen: number): void {
  if (expected === null || expected === seen) return;
  throw new AppError(
    "source_incomplete",
    `The source says it has ${expected} items, but ${seen} arrived. Nothing was changed; the next sync reads it again.`,
  );
}

type Merging = {
  readonly source: SourceRow;
  readonly ledger: Ledger;
  readonly validators: Validators | null;
};

async function merge(tx: Queries, job: Job, { source, ledger, validators }: Merging): Promise<SyncStats> {
  const scope = { catalogId: source.catalogId, sourceId: source.id };
  const had = await lockAndCount(tx, scope);

  withdraw(ledger, "the file", await refuseRepeated(tx, MAX_REJECTIONS));
  if (had.catalog > had.source) {
    withdraw(ledger, "another source of this catalog", await refuseForeign(tx, scope, MAX_REJECTIONS));
  }

  const difference = await measureDifference(tx, scope, had);
  refuseCollapse(source, had.source, difference);
  if (ledger.seen === 0) {
    ledger.warn({
      itemId: null,
      position: null,
      field: null,
      code: "empty_source",
      message: "The source has no items.",
    });
  }
  const { fresh, changed, unchanged, removed } = difference;
  const stats = ledger.stats({ upserted: fresh + changed, unchanged, removed });
  balance(stats);

  await applyDifference(tx, scope, difference);
  await keepValidators(tx, source.id, validators);
  await succeed(tx, job, stats);
  return stats;
}

async function lockAndCount(tx: Queries, { catalogId, sourceId }: { catalogId: string; sourceId: string }) {
  await lockCatalog(tx, catalogId);
  const catalog = await findCatalog(tx, catalogId);
  const source = await findSource(tx, sourceId);
  if (!catalog || !source)
    throw new AppError("unknown_source", "The source was removed while it was being synced.");
  return {
    catalog: catalog.itemCount,
    source: source.itemCount,
    isToBeReadInFull: source.validators === null,
  };
}

function withdraw(ledger: Ledger, owner: string, { count, sample }: Refused): void {
  ledger.withdraw(
    count,
    sample.map(({ position, id }) => ({
      itemId: id,
      position,
      field: "id",
      code: "duplicate_item_id",
      message: `The id "${id}" is taken already by an item of ${owner}; ids must be unique in a catalog.`,
    })),
  );
}

/** A source smaller than this may shrink freely: half of a handful is everyday. */
const COLLAPSE_FLOOR = 10;

function refuseCollapse({ maxRemovedRatio }: SourceRow, had: number, { removed }: Difference): void {
  if (had < COLLAPSE_FLOOR || removed <= had * maxRemovedRatio) return;
  throw new AppError(
    "catalog_collapsed",
    `This pull would remove ${removed} of the source's ${had} items, more than the limit of ${Math.round(maxRemovedRatio * 100)} %. The catalog and the feeds stay as they were. If the shop really shrank, raise max_removed_ratio (shelfwire source update <id> --max-removed-ratio 1) and sync again.`,
  );
}

/** The file is the one we read before: its items, and the ones it could not give us, are what they were. */
async function keepAsIs(
  tx: Queries,
  job: Job,
  source: SourceRow,
  validators: Validators,
): Promise<SyncStats> {
  const scope = { catalogId: source.catalogId, sourceId: source.id };
  const { source: items, isToBeReadInFull } = await lockAndCount(tx, scope);
  const last = (await lastGoodSync(tx, source.id))?.stats as Partial<SyncStats> | undefined;
  const { rejected, rejections, warnings, warning_codes } = { ...EMPTY_STATS, ...last };
  const stats: SyncStats = {
    ...EMPTY_STATS,
    seen: items + rejected,
    unchanged: items,
    rejected,
    rejections,
    warnings,
    warning_codes,
  };
  balance(stats);
  // Forgotten while we asked: an id this file was refused for may be free now, and stays so until it is read.
  if (!isToBeReadInFull) await keepValidators(tx, source.id, validators);
  await succeed(tx, job, stats);
  return stats;
}

async function succeed(tx: Queries, job: Job, stats: SyncStats): Promise<void> {
  await job.finish(tx, { state: "succeeded", stats });
  const { catalogId, id } = job.run;
  await enqueueRun(tx, {
    id: newId(),
    catalogId,
    sourceId: null,
    kind: "render",
    cause: "sync",
    causeRunId: id,
  });
}
