/** `shelfwire status`: the state of each catalog, what needs attention, and what runs, for the whole installation. */
import { counted } from "../../lib/counted.ts";
import type { Command } from "commander";
import { AppError } from "../../errors.ts";
import { withSnakeCase } from "../../lib/snake-case.ts";
import type { CatalogStatus } from "../../contract/status.ts";
import type { Webhook } from "../../contract/webhooks.ts";
import { catalogStatus } from "../../pipeline/status/status.ts";
import type { StatusDeps } from "../../pipeline/status/status.ts";
import { listWebhooks } from "../../webhooks/endpoints.ts";
import { listCatalogs } from "../../store/catalogs.ts";
import type { Catalog } from "../../store/catalogs.ts";
import { type FeedFileRow, listFeedFiles } from "../../store/feed-files.ts";
import { newestSyncs } from "../../store/newest-syncs.ts";
import { restoredSince } from "../../store/restores.ts";
import { findRun, listRuns } from "../../store/runs.ts";
import { heldFailure } from "../../pipeline/publication/outcome.ts";
import type { Run } from "../../store/runs.ts";
import { listSources } from "../../store/sources.ts";
import type { SourceRow } from "../../store/sources.ts";
import type { CommandContext } from "../context.ts";
import { requireCatalog } from "../find.ts";
import { ageText, failureText, nextSyncText, resultText } from "../run-text.ts";
import { serverOn } from "../server-file.ts";
import { isWorkerRunning } from "../process-locks.ts";

export function statusCommand(program: Command, { withSystem, print }: CommandContext): void {
  program
    .command("status")
    .description("show the state of each catalog, what needs attention, sources, runs and feeds")
    .option("--catalog <slug>", "only this catalog")
    .action(async ({ catalog: slug }: { catalog?: string }) => {
      const status = await withSystem(async (system) => {
        const { db, config, jobs } = system;
        const catalogs = slug === undefined ? await listCatalogs(db) : [await requireCatalog(db, slug)];
        return {
          server: (await serverOn(config.dataDir)) ?? null,
          isWorkerRunning: await isWorkerRunning(system),
          restoredAt: (await restoredSince(db))?.toISOString() ?? null,
          catalogs: await Promise.all(catalogs.map(async (one) => stateOf(jobs, one))),
        };
      });
      const { server, catalogs } = status;
      print(
        {
          server: server && { url: server.url, pid: server.pid },
          worker_running: status.isWorkerRunning,
          restored_at: status.restoredAt,
          catalogs: catalogs.map(asData),
        },
        () => [
          server === null ? "No server is running here." : `Server: ${server.url} (process ${server.pid})`,
          status.isWorkerRunning ? "Worker: running" : "Worker: none; no scheduled syncs until one runs",
          ...(status.restoredAt === null
            ? []
            : [
                `Restored copy since ${status.restoredAt}: it sends nothing and syncs no source by itself. shelfwire resume makes it live.`,
              ]),
          ...(catalogs.length === 0 ? ["No catalogs yet: shelfwire catalog create makes one."] : []),
          ...catalogs.flatMap(lines),
        ],
      );
    });
}

type CatalogStatusLine = {
  readonly catalog: Catalog;
  readonly status: CatalogStatus;
  readonly sources: readonly { readonly source: SourceRow; readonly last: Run | undefined }[];
  /** The newest render, however it went; with an error also if its files were not published. */
  readonly render: Run | undefined;
  readonly publishedAt: Date | null;
  readonly files: readonly Pick<FeedFileRow, "file" | "written" | "excluded" | "refused">[];
  readonly failingWebhooks: readonly Webhook[];
};

async function stateOf(jobs: StatusDeps, catalog: Catalog): Promise<CatalogStatusLine> {
  const { db } = jobs;
  const { id, publishedRunId } = catalog;
  const status = await catalogStatus(jobs, id);
  if (!status) throw new AppError("not_found", `The catalog "${catalog.slug}" was removed.`);
  const newest = new Map((await newestSyncs(db, id)).map((run) => [run.sourceId, run]));
  const sources = await listSources(db, id);
  const [render] = await listRuns(db, id, { kind: "render", limit: 1 });
  const published = publishedRunId === null ? undefined : await findRun(db, publishedRunId);
  return {
    catalog,
    status,
    sources: sources.map((source) => ({ source, last: newest.get(source.id) })),
    render: render && { ...render, error: render.error ?? (await heldFailure(db, render.id)) ?? null },
    publishedAt: published?.finishedAt ?? null,
    files: publishedRunId === null ? [] : await listFeedFiles(db, publishedRunId),
    failingWebhooks: (await listWebhooks(db, id)).filter(({ status }) => status === "failing"),
  };
}

function asData({
  catalog,
  status,
  sources,
  render,
  publishedAt,
  files,
  failingWebhooks,
}: CatalogStatusLine) {
  return {
    slug: catalog.slug,
    name: catalog.name,
    status,
    items: catalog.itemCount,
    published_at: publishedAt?.toISOString() ?? null,
    files: files.map(({ file, written, excluded, refused }) => ({ file, written, excluded, refused })),
    last_render: render ? endOf(render) : null,
    sources: sources.map(({ source: { id, name, kind, itemCount: items, enabled, nextSyncAt }, last }) => ({
      ...withSnakeCase({ id, name, kind, items, enabled, nextSyncAt: enabled ? nextSyncAt : null }),
      last_sync: last ? endOf(last) : null,
    })),
    failing_webhooks: failingWebhooks.map((webhook) => {
      const { id, url, failing_since, last_failure } = webhook;
      return { id, url, failing_since, last_failure };
    }),
  };
}

const endOf = ({ id: runId, state, error, finishedAt }: Run) =>
  withSnakeCase({ runId, state, error, finishedAt });

function lines(state: CatalogStatusLine): readonly string[] {
  const { catalog, status, sources, render, publishedAt, files, failingWebhooks } = state;
  const counts = files
    .map(
      ({ file, written, refused }) =>
        `${file} ${written}${refused > 0 ? ` (${refused} will be refused)` : ""}`,
    )
    .join(", ");
  return [
    "",
    `${catalog.slug}: ${catalog.name}, ${counted(catalog.itemCount, "item")}`,
    ...stateLines(status),
    publishedAt === null
      ? "  feeds: not published yet"
      : `  feeds: published ${ageText(publishedAt)} (${counts})`,
    ...(render?.error
      ? [`  last render ${render.state === "failed" ? "failed" : "is not published"}: ${failureText(render)}`]
      : []),
    ...(sources.length === 0 ? ["  no sources: items are pushed"] : []),
    ...sources.flatMap(({ source, last }) => [
      `  source ${source.name} (${source.kind}): ${counted(source.itemCount, "item")}, last sync ${resultText(last)}, next ${nextSyncText(source)}`,
      ...(last?.state === "failed" ? [`    failed: ${failureText(last)}`] : []),
    ]),
    ...failingWebhooks.map(
      ({ url, failing_since: since, last_failure: failure }) =>
        `  webhook ${url} fails${since === null ? "" : `, first ${ageText(new Date(since))}`}: ${failure ?? "no reason is recorded"}`,
    ),
  ];
}

const STATE_TEXT = { ok: "all right", attention: "needs attention", failing: "failing" } as const;

function stateLines({ state, reason, attention, attention_count: total, score, feeds }: CatalogStatus) {
  const fetched = feeds.flatMap(({ file, last_fetched_at: at, last_fetched_by: by }) =>
    at === null ? [] : [`${file} ${ageText(new Date(at))}${by === null ? "" : ` by ${by}`}`],
  );
  return [
    // Without problems, the reason says that all is right.
    `  state: ${attention.length === 0 ? reason : STATE_TEXT[state]}`,
    ...attention.map(({ severity, message, code }) => `    ${severity}: ${message} [${code}]`),
    ...(total > attention.length ? [`    and ${total - attention.length} more`] : []),
    ...(score === null ? [] : [`  score: ${score.score} (${score.grade})`]),
    ...(fetched.length === 0 ? [] : [`  last fetched: ${fetched.join(", ")}`]),
  ];
}
