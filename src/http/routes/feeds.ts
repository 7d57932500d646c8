/** /api/v1/feeds: the URLs of the four files, a render now, and new URLs. */
import {
  DEFAULT_OVERLAP_S,
  FeedsAnswer,
  RenderFeeds,
  RotatedFeedsAnswer,
  RotateFeeds,
} from "../../contract/feeds.ts";
import type { LastRender } from "../../contract/feeds.ts";
import { AppError } from "../../errors.ts";
import { CHANNELS, FEED_FILES } from "../../channels/registry.ts";
import { withSnakeCase } from "../../lib/snake-case.ts";
import { findRunBeforeRender, heldFailure } from "../../pipeline/publication/outcome.ts";
import type { RenderStats } from "../../pipeline/render/render.ts";
import { failureOf, waitForRun } from "../../pipeline/requests.ts";
import { behindReason } from "../../pipeline/status/held.ts";
import { rotateFeedUrls } from "../../setup/catalogs.ts";
import { type Catalog, feedOverlapEnd, findCatalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { countChangesSince } from "../../store/decisions.ts";
import { findPause } from "../../store/publication-pauses.ts";
import { findHeldRender, type RenderRecord } from "../../store/renders.ts";
import { enqueueRender, findRun, findWaitingRender } from "../../store/runs.ts";
import { findPublicationFacts, type PublicationFacts } from "../../store/status.ts";
import type { Run } from "../../store/runs.ts";
import type { Api, ApiDeps } from "../api.ts";
import { guardOf } from "../run-answer.ts";

export function feedRoutes(api: Api, deps: ApiDeps): void {
  listAndRender(api, deps);

  api.route({
    method: "POST",
    url: "/feeds/rotate",
    scope: "write",
    operationId: "rotateFeedUrls",
    summary: "Rotate the feed URLs",
    description:
      "Gives the feeds new URLs. The previous ones work until the overlap ends and answer 404 afterwards. While an overlap runs, only a rotation with overlap 0 is possible, which ends all earlier URLs at once.",
    body: RotateFeeds,
    answers: { 200: RotatedFeedsAnswer },
    problems: [409],
    handler: async ({
      caller: { catalogId },
      body: { overlap_s: overlapS = DEFAULT_OVERLAP_S },
      changeLog,
    }) => {
      const recorded = changeLog.recording(deps.db, catalogId, { type: "feeds", fields: ["url"] });
      const { previousUntil } = await rotateFeedUrls(recorded, deps.encryption, { catalogId, overlapS });
      const { feeds } = (await describeFeeds(deps, catalogId)).data;
      return { body: { data: { feeds, previous_until: previousUntil.toISOString() } } };
    },
  });
}

function listAndRender(api: Api, deps: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/feeds",
    scope: "read",
    operationId: "listFeeds",
    summary: "List feed URLs",
    answers: { 200: FeedsAnswer },
    handler: async ({ caller }) => ({ body: await describeFeeds(deps, caller.catalogId) }),
  });

  api.route({
    method: "POST",
    url: "/feeds",
    scope: "write",
    operationId: "renderFeeds",
    summary: "Re-render feeds",
    description:
      "Renders all four files now. A render also follows every sync. Files that exceed limits of the publish guard are published, with the limits in `last_render.stats.guard`; with `guard: hold` they are held: 422 `render_held` with each exceeded limit.",
    body: RenderFeeds,
    ignoresUnknown: true,
    answers: { 200: FeedsAnswer },
    problems: [422],
    handler: async ({ caller, signal, body, changeLog }) => {
      // Decisions that were made before this call are in the files.
      const pending = await findRunBeforeRender(deps.db, caller.catalogId);
      if (pending !== undefined) await waitForRun({ ...deps, signal }, pending);
      const guard = await guardOf(deps.db, caller.catalogId, body.guard);
      const runId = await deps.db.tx(async (tx) => {
        const waiting = await findWaitingRender(tx, { catalogId: caller.catalogId, guard });
        const id = waiting ?? (await enqueueRender(tx, caller.catalogId, "request", { guard }));
        await changeLog.record(tx, caller.catalogId, { type: "feeds", runId: id });
        return id;
      });
      const run = await waitForRun({ ...deps, signal }, runId);
      const failure = run.state === "failed" ? failureOf(run) : await heldFailure(deps.db, runId);
      if (failure) throw failure;
      return { body: await describeFeeds(deps, caller.catalogId) };
    },
  });
}

async function describeFeeds({ db, feedUrl }: ApiDeps, catalogId: string): Promise<FeedsAnswer> {
  const catalog = await findCatalog(db, catalogId);
  if (!catalog) throw new AppError("unauthorized", "The catalog of this API key was removed.");
  const published = catalog.publishedRunId === null ? undefined : await findRun(db, catalog.publishedRunId);
  const previousUntil = await feedOverlapEnd(db, catalogId);
  const held = await findHeldRender(db, catalogId);
  const pause = await findPause(db, catalogId);
  const facts = published && (await findPublicationFacts(db, catalogId));
  const unpublished = published ? await unpublishedChanges(db, catalog, published) : 0;
  return {
    data: {
      feeds: FEED_FILES.map((file) => ({
        file,
        content_type: CHANNELS[file].contentType,
        url: feedUrl(catalog, file),
      })),
      last_render: published ? lastRender(published) : null,
      ...(held && { held: heldBody(held) }),
      ...(pause && { paused: withSnakeCase(pause) }),
      ...behindBody(facts),
      ...(unpublished > 0 && { unpublished_changes: unpublished }),
      ...(previousUntil && { previous_until: previousUntil.toISOString() }),
    },
  };
}

const heldBody = ({ runId, heldSince, createdAt, exceeded }: RenderRecord) => ({
  run_id: runId,
  since: (heldSince ?? createdAt).toISOString(),
  exceeded,
});

function behindBody(facts: PublicationFacts | undefined): Pick<FeedsAnswer["data"], "behind"> {
  const reason = facts ? behindReason(facts) : null;
  if (!facts || reason === null) return {};
  const { heldRunId, discardedRunId, failedRenderId, snapshotAt } = facts;
  const runId = heldRunId ?? discardedRunId ?? failedRenderId;
  return { behind: { reason, run_id: runId, changed_at: snapshotAt.toISOString() } };
}

/** Changes of rules, category mappings and approved values that the published files do not have. */
async function unpublishedChanges(db: Queries, { id, effects }: Catalog, { stats }: Run): Promise<number> {
  const { effects: published = 0 } = stats as Partial<RenderStats>;
  return effects.version > published ? countChangesSince(db, id, published) : 0;
}

function lastRender({ id, stats, createdAt, startedAt, finishedAt }: Run): LastRender {
  const times = { startedAt: startedAt ?? createdAt, finishedAt: finishedAt ?? createdAt };
  return { run_id: id, status: "succeeded", stats: { items: 0, ...stats }, ...withSnakeCase(times) };
}
