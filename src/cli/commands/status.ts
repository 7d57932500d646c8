/** `shelfwire status`: what runs, what failed and why, and the age of the feeds, for the whole installation. */
import { counted } from "../../lib/counted.ts";
import type { Command } from "commander";
import { withSnakeCase } from "../../lib/snake-case.ts";
import type { Webhook } from "../../contract/webhooks.ts";
import { listWebhooks } from "../../webhooks/endpoints.ts";
import { listCatalogs } from "../../store/catalogs.ts";
import type { Catalog } from "../../store/catalogs.ts";
import type { Db } from "../../store/db.ts";
import { listFeedFiles } from "../../store/feed-files.ts";
import { findRun, listRuns, newestSyncs } from "../../store/runs.ts";
import type { Run } from "../../store/runs.ts";
import { listSources } from "../../store/sources.ts";
import type { SourceRow } from "../../store/sources.ts";
import type { CommandContext } from "../context.ts";
import { ageText, dueText, failureText, resultText } from "../run-text.ts";
import { serverOn } from "../server-file.ts";
import { isWorkerRunning } from "../process-locks.ts";

export function statusCommand(program: Command, { withSystem, print }: CommandContext): void {
  program
    .command("status")
    .description("show catalogs, sources, last and next runs, failures and the age of the feeds")
    .action(async () => {
      const status = await withSystem(async (system) => ({
        server: (await serverOn(system.config.dataDir)) ?? null,
        isWorkerRunning: await isWorkerRunning(system),
        catalogs: await Promise.all(
          (await listCatalogs(system.db)).map(async (one) => stateOf(system.db, one)),
        ),
      }));
      const { server, catalogs } = status;
      print(
        {
          server: server && { url: server.url, pid: server.pid },
          worker_running: status.isWorkerRunning,
          catalogs: catalogs.map(asData),
        },
        () => [
          server === null ? "No server is running here." : `Server: ${server.url} (process ${server.pid})`,
          status.isWorkerRunning ? "Worker: running" : "Worker: none; no scheduled syncs until one runs",
          ...(catalogs.length === 0 ? ["No catalogs yet: shelfwire catalog create makes one."] : []),
          ...catalogs.flatMap(lines),
        ],
      );
    });
}

type CatalogState = {
  readonly catalog: Catalog;
  readonly sources: readonly { readonly source: SourceRow; readonly last: Run | undefined }[];
  /** The newest render, however it went. */
  readonly render: Run | undefined;
  readonly publishedAt: Date | null;
  readonly files: readonly { readonly file: string; readonly written: number; readonly excluded: number }[];
  readonly failingWebhooks: readonly Webhook[];
};

async function stateOf(db: Db, catalog: Catalog): Promise<CatalogState> {
  const { id, publishedRunId } = catalog;
  const newest = new Map((await newestSyncs(db, id)).map((run) => [run.sourceId, run]));
  const sources = await listSources(db, id);
  const [render] = await listRuns(db, id, { kind: "render", limit: 1 });
  const published = publishedRunId === null ? undefined : await findRun(db, publishedRunId);
  return {
    catalog,
    sources: sources.map((source) => ({ source, last: newest.get(source.id) })),
    render,
    publishedAt: published?.finishedAt ?? null,
    files: publishedRunId === null ? [] : await listFeedFiles(db, publishedRunId),
    failingWebhooks: (await listWebhooks(db, id)).filter(({ status }) => status === "failing"),
  };
}

function asData({ catalog, sources, render, publishedAt, files, failingWebhooks }: CatalogState) {
  return {
    slug: catalog.slug,
    name: catalog.name,
    items: catalog.itemCount,
    published_at: publishedAt?.toISOString() ?? null,
    files: files.map(({ file, written, excluded }) => ({ file, written, excluded })),
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

function lines(state: CatalogState): readonly string[] {
  const { catalog, sources, render, publishedAt, files, failingWebhooks } = state;
  const counts = files.map(({ file, written }) => `${file} ${written}`).join(", ");
  return [
    "",
    `${catalog.slug}: ${catalog.name}, ${counted(catalog.itemCount, "item")}`,
    publishedAt === null
      ? "  feeds: not published yet"
      : `  feeds: published ${ageText(publishedAt)} (${counts})`,
    ...(render?.state === "failed" ? [`  last render failed: ${failureText(render)}`] : []),
    ...(sources.length === 0 ? ["  no sources: items are pushed"] : []),
    ...sources.flatMap(({ source, last }) => [
      `  source ${source.name} (${source.kind}): ${counted(source.itemCount, "item")}, last sync ${resultText(last)}, next ${source.enabled ? dueText(source.nextSyncAt) : "never: it is paused"}`,
      ...(last?.state === "failed" ? [`    failed: ${failureText(last)}`] : []),
    ]),
    ...failingWebhooks.map(
      ({ url, failing_since: since, last_failure: failure }) =>
        `  webhook ${url} fails${since === null ? "" : `, first ${ageText(new Date(since))}`}: ${failure ?? "no reason is recorded"}`,
    ),
  ];
}
