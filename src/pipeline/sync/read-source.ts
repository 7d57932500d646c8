/** Reads a source into staging: the first half of a sync, and of its dry run. */
import { counted } from "../../lib/counted.ts";
import { AppError } from "../../errors.ts";
import { fullReadHours } from "../../sources/kit/changes.ts";
import type { Connector, FileEnding, SourceEvent, SourceEvents, Validators } from "../../sources/source.ts";
import { changedProducts } from "../../store/changed-products.ts";
import { findCatalog } from "../../store/catalogs.ts";
import type { Session } from "../../store/db.ts";
import { findRejections, findSource } from "../../store/sources.ts";
import { openStaging, type StagedCounts } from "../../store/staging.ts";
import type { Job, JobDeps } from "../job.ts";
import type { KnownHashes } from "../../lib/known-hashes.ts";
import { loadKnownRows } from "./known-rows.ts";
import { Ledger } from "./ledger.ts";
import { contextKey, MAX_REPORTED_PRODUCTS, partToRead, validatorsFor, withContext } from "./read-state.ts";
import type { FinishedRead } from "./read-state.ts";
import { withSpool } from "./spool.ts";
import { keepRejections, readInto, ReadProducts, sourceSink } from "./stage.ts";

export type ReadPlan = Awaited<ReturnType<typeof planRead>>;

/** `anew`: nothing of an earlier read is used, so that every row arrives and is staged. */
export type ReadMode = "since-last" | "anew";

export type StagedRead = Pick<FinishedRead, "newestChange"> & {
  readonly kind: "staged";
  readonly plan: ReadPlan;
  readonly ledger: Ledger;
  readonly staged: StagedCounts;
  readonly validators: Validators | null;
  readonly known: KnownHashes | undefined;
  readonly products: ReadProducts;
  /** Only some products were read. */
  readonly isPartial: boolean;
  readonly ending: FileEnding | undefined;
};

/** The file is the one that was read last time. */
type UnchangedRead = {
  readonly kind: "unchanged";
  readonly plan: ReadPlan;
  readonly validators: Validators | null;
};

/** Reads the source; `work` gets the session with the table `staged`. */
export async function readSource<T>(
  deps: JobDeps,
  job: Job,
  { plan, mode }: { readonly plan: ReadPlan; readonly mode: ReadMode },
  work: (session: Session, read: StagedRead | UnchangedRead) => Promise<T>,
): Promise<T> {
  const { source, connector, settings, context, part } = plan;
  return withSpool(deps.spoolRoot, async (spoolDir) => {
    const ledger = new Ledger();
    job.progress(() => ledger.stats(), "reading");
    if (mode === "since-last") job.listIssues(() => ledger.issues());
    await using events = connector.read(settings, {
      http: deps.http,
      signal: job.signal,
      spoolDir,
      currency: plan.catalog.settings.currency,
      language: plan.catalog.settings.language,
      previous: mode === "anew" ? null : validatorsFor(source.validators, context),
      extent: "whole",
      callerWaitMs: () => callerWait(job),
      part,
    });
    // A slow shop delays its first event; no database connection is held meanwhile.
    const first = await events.next();
    // Awaited: the events are closed when this function ends.
    return await deps.db.session(async (session) => {
      const read = await readInStaging(session, job, { plan, mode, ledger, first, events });
      return work(session, read);
    });
  });
}

/**
 * For a sync on demand, the wait begins with its request. For any other sync, it begins with the request of the next
 * queued sync.
 */
function callerWait({ run, callerWaitMs }: Job): number | null {
  if (!["request", "command"].includes(run.cause)) return callerWaitMs();
  return (run.startedAt ?? run.createdAt).getTime() - run.createdAt.getTime();
}

type FirstStep = IteratorResult<SourceEvent | readonly SourceEvent[], void>;

type SourceReading = {
  readonly plan: ReadPlan;
  readonly mode: ReadMode;
  readonly ledger: Ledger;
  readonly first: FirstStep;
  readonly events: SourceEvents;
};

async function readInStaging(
  session: Session,
  job: Job,
  { plan, mode, ledger, first, events }: SourceReading,
): Promise<StagedRead | UnchangedRead> {
  const { catalog, context } = plan;
  const staging = await openStaging(session);
  const known = mode === "anew" ? undefined : await rowsToSkip(session, plan, first);
  const products = new ReadProducts();
  const { settings } = catalog;
  const sink = sourceSink({ staging, ledger }, { known, products, settings });
  const end = await readInto(sink, { first, events, settings, signal: job.signal });
  if (end === null) {
    throw new AppError(
      "source_incomplete",
      "The source stopped before its list was complete, so nothing was changed.",
    );
  }
  const validators = withContext(end.validators, context);
  if (end.kind === "unchanged") return { kind: "unchanged", plan, validators };

  if (end.expected !== null && end.expected !== ledger.seen)
    throw new AppError(
      "source_incomplete",
      `The source says it has ${counted(end.expected, "item")}, but ${ledger.seen} arrived. Nothing was changed; the next sync reads it again.`,
    );
  job.progress(() => ledger.stats(), "merging");
  const staged = await staging.finish();
  const isPartial = isKind(first, "partial");
  if (isPartial) keepRejections(await findRejections(session, plan.source.id), { ledger, products });
  const { newestChange = null, ending } = end;
  return {
    kind: "staged",
    plan,
    ledger,
    staged,
    validators,
    known,
    isPartial,
    ending,
    products,
    newestChange,
  };
}

function isKind(step: FirstStep, ...kinds: readonly SourceEvent["kind"][]): boolean {
  const event = step.done === true ? undefined : [step.value].flat()[0];
  return event !== undefined && kinds.includes(event.kind);
}

/**
 * The rows of the last complete read, if they were read with the same settings by the same normalizer, and their items
 * have the products that the source names. A read of some products is small: it skips none.
 */
async function rowsToSkip(
  session: Session,
  { source, context, namesProducts }: ReadPlan,
  first: FirstStep,
): Promise<KnownHashes | undefined> {
  const { id: sourceId, catalogId, rowContext, readState, itemCount } = source;
  const haveProducts = readState !== null || !namesProducts;
  const isComplete = first.done !== true && !isKind(first, "unchanged", "partial");
  if (rowContext !== context || !haveProducts || !isComplete) return undefined;
  return loadKnownRows(session, { catalogId, sourceId }, itemCount);
}

export async function planRead({ db, connectors, decryptSecrets }: JobDeps, { run }: Job) {
  const source = run.sourceId === null ? undefined : await findSource(db, run.sourceId);
  const catalog = await findCatalog(db, run.catalogId);
  if (!source || !catalog) {
    throw new AppError("unknown_source", "The source was removed before its sync began.");
  }
  const connector: Connector | undefined = connectors[source.kind];
  if (!connector)
    throw new AppError("source_settings_invalid", `There is no connector of kind "${source.kind}".`);
  const settings = { ...source.settings, ...decryptSecrets(source.secretsEncrypted) };
  const context = contextKey(catalog.settings, source.settings);
  const parts = connector.parts?.(settings) ?? [];
  const startedAt = new Date();
  const reported = await changedProducts(db, source.id, MAX_REPORTED_PRODUCTS + 1);
  const part = partToRead({
    reads: run.reads,
    parts,
    fullReadHours: fullReadHours(connector, settings),
    state: source.readState?.context === context ? source.readState : null,
    knowsRejections: source.knowsRejections,
    reported,
    now: startedAt,
  });
  const [namesProducts, hasReported] = [parts.length > 0, reported.length > 0];
  return { source, catalog, connector, settings, context, part, namesProducts, hasReported, startedAt };
}
