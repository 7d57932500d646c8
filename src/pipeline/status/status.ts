/** The status of one catalog with all figures, and the states of many in a few queries. */
import type { CatalogStatus } from "../../contract/status.ts";
import { MAX_ATTENTION, SCORE_HISTORY } from "../../contract/status.ts";
import { FEED_FILES } from "../../channels/registry.ts";
import { listScores } from "../../store/audits.ts";
import type { Queries } from "../../store/db.ts";
import { findLastSync, findNextSync, listCatalogFacts, listServedFiles } from "../../store/status.ts";
import { listTroubledOrigins } from "../../store/troubled-origins.ts";
import type { CatalogStatusFacts, FileFacts } from "../../store/status.ts";
import { withSnakeCase } from "../../lib/snake-case.ts";
import { listFailingDestinations } from "../../destinations/destinations.sql.ts";
import { DEFAULT_ALERT_FACTS, listAlertFacts } from "../../store/alert-settings.ts";
import { listFailingEndpoints } from "../../webhooks/endpoints.sql.ts";
import { listSilentConsumers } from "../../store/fetch-receipts.ts";
import { assess } from "./attention.ts";
import type { Assessment } from "./attention.ts";
import { SILENCE } from "./consumers.ts";
import { DROP_DAYS, OVERDUE_MS } from "./problem.ts";
import { originState } from "./origins.ts";
import type { OriginState } from "./origins.ts";
import type { StatusFacts } from "./problem.ts";

export type StatusDeps = {
  readonly db: Queries;
  /** Throws if the token cannot be decrypted. */
  readonly feedUrl: (
    catalog: Pick<CatalogStatusFacts, "slug" | "feedTokenEncrypted">,
    file: string,
  ) => string;
};

export type CatalogSummary = Pick<Assessment, "state" | "reason"> & { readonly score: number | null };

/** The state of each catalog, by id. */
export async function summarizeCatalogs(
  deps: StatusDeps,
  ids: readonly string[],
  now: Date = new Date(),
): Promise<ReadonlyMap<string, CatalogSummary>> {
  const summaries = new Map<string, CatalogSummary>();
  for (const facts of await gatherFacts(deps, ids, now)) {
    const { state, reason } = assess(facts, now);
    summaries.set(facts.catalog.id, { state, reason, score: facts.catalog.score });
  }
  return summaries;
}

/** Undefined if there is no such catalog. */
export async function catalogStatus(
  deps: StatusDeps,
  catalogId: string,
  now: Date = new Date(),
): Promise<CatalogStatus | undefined> {
  const [facts] = await gatherFacts(deps, [catalogId], now);
  if (facts === undefined) return undefined;
  const { catalog, files } = facts;
  const { state, reason, action, attention } = assess(facts, now);
  return {
    state,
    reason,
    action,
    attention: attention.slice(0, MAX_ATTENTION),
    attention_count: attention.length,
    score: await scoreOf(deps.db, catalog),
    feeds: FEED_FILES.map((file) => ({
      file,
      url: urlOf(deps, catalog, file),
      ...feedFigures(
        files.find((one) => one.file === file),
        catalog,
      ),
    })),
    sync: await syncsOf(deps.db, catalog),
    sources: catalog.sources,
    items: catalog.itemCount,
    pushed_items: Math.max(0, catalog.itemCount - catalog.sourceItems),
  };
}

const IN_ORDER: OriginState = { state: "ok", reason: null };

/** The state of each source of a catalog, by its id. */
export async function sourceStates(
  db: Queries,
  catalogId: string,
  now: Date = new Date(),
): Promise<(sourceId: string) => OriginState> {
  const origins = await listTroubledOrigins(db, [catalogId], now);
  return (id) => {
    const troubled = origins.find(({ sourceId }) => sourceId === id);
    return troubled === undefined ? IN_ORDER : originState(troubled, now);
  };
}

/** Of the catalogs that exist. */
export async function gatherFacts(
  deps: StatusDeps,
  ids: readonly string[],
  now: Date,
): Promise<readonly StatusFacts[]> {
  const { db } = deps;
  const catalogs = await listCatalogFacts(db, ids, {
    overdueBefore: new Date(now.getTime() - OVERDUE_MS),
    scoresSince: new Date(now.getTime() - DROP_DAYS * 86_400_000),
  });
  const origins = byCatalog(await listTroubledOrigins(db, ids, now));
  const files = byCatalog(await listServedFiles(db, ids));
  const endpoints = byCatalog(await listFailingEndpoints(db, ids));
  const silent = byCatalog(await listSilentConsumers(db, ids, { now, ...SILENCE }));
  const destinations = byCatalog(await listFailingDestinations(db, ids));
  const alerts = new Map((await listAlertFacts(db, ids)).map((row) => [row.catalogId, row]));
  return catalogs.map((catalog) => ({
    catalog,
    origins: origins.get(catalog.id) ?? [],
    files: files.get(catalog.id) ?? [],
    endpoints: endpoints.get(catalog.id) ?? [],
    silent: silent.get(catalog.id) ?? [],
    destinations: destinations.get(catalog.id) ?? [],
    alerts: alerts.get(catalog.id) ?? DEFAULT_ALERT_FACTS,
    isTokenReadable: urlOf(deps, catalog, "") !== null,
  }));
}

const byCatalog = <Row extends { readonly catalogId: string }>(rows: readonly Row[]) =>
  Map.groupBy(rows, ({ catalogId }) => catalogId);

function urlOf({ feedUrl }: StatusDeps, catalog: CatalogStatusFacts, file: string): string | null {
  try {
    return feedUrl(catalog, file);
  } catch {
    return null;
  }
}

type Feed = CatalogStatus["feeds"][number];

const NOT_RENDERED: Omit<Feed, "file" | "url"> = {
  items: 0,
  excluded: 0,
  refused: 0,
  bytes: 0,
  rendered_at: null,
  changed_at: null,
  last_fetched_at: null,
  last_fetched_by: null,
  last_fetched_status: null,
};

function feedFigures(file: FileFacts | undefined, catalog: CatalogStatusFacts): typeof NOT_RENDERED {
  if (file === undefined) return NOT_RENDERED;
  const { written: items, excluded, refused, bytes, changedAt } = file;
  const figures = { items, excluded, refused, bytes, renderedAt: catalog.renderFinishedAt, changedAt };
  const { fetchedAt: lastFetchedAt, fetchedBy: lastFetchedBy, fetchedStatus: lastFetchedStatus } = file;
  return withSnakeCase({ ...figures, lastFetchedAt, lastFetchedBy, lastFetchedStatus });
}

async function scoreOf(db: Queries, catalog: CatalogStatusFacts): Promise<CatalogStatus["score"]> {
  const { id, score, grade, measuredAt, previousScore, highlights } = catalog;
  if (score === null || grade === null || measuredAt === null) return null;
  return {
    score,
    grade,
    ceiling: highlights?.ceiling?.limit ?? null,
    measured_at: measuredAt.toISOString(),
    previous_score: previousScore,
    history: withSnakeCase(await listScores(db, id, SCORE_HISTORY)),
  };
}

async function syncsOf(db: Queries, { id, openSyncs }: CatalogStatusFacts): Promise<CatalogStatus["sync"]> {
  const last = await findLastSync(db, id);
  const next = await findNextSync(db, id);
  return {
    last: last ? withSnakeCase(last) : null,
    next: next ? withSnakeCase(next) : null,
    running: openSyncs,
  };
}
