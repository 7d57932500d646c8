/** /api/v1/feeds: where the four files are, "render them now", and new URLs for them. */
import { FeedsAnswer, RotatedFeedsAnswer, RotateFeeds } from "../../contract/feeds.ts";
import type { LastRender } from "../../contract/feeds.ts";
import { AppError } from "../../errors.ts";
import { FEED_FILES } from "../../feeds/format.ts";
import { RENDERERS } from "../../feeds/registry.ts";
import { failureOf, requestRender, waitForRun } from "../../pipeline/requests.ts";
import { rotateFeedUrls } from "../../setup/catalogs.ts";
import { findCatalog } from "../../store/catalogs.ts";
import { findRun } from "../../store/runs.ts";
import type { Run } from "../../store/runs.ts";
import type { Api, ApiDeps } from "../api.ts";
import { problems } from "../responses.ts";

/** As on the command line: a week to tell everyone who reads the feeds. */
const DEFAULT_OVERLAP_S = 604_800;

export function feedRoutes(api: Api, deps: ApiDeps): void {
  readingAndRendering(api, deps);
  rotation(api, deps);
}

function rotation(api: Api, deps: ApiDeps): void {
  api.route({
    method: "POST",
    url: "/feeds/rotate",
    scope: "write",
    schema: {
      operationId: "rotateFeedUrls",
      summary: "Rotate the feed URLs",
      description:
        "Gives the feeds new URLs. The previous ones work until the overlap ends and answer 404 afterwards. While an overlap runs, only a rotation with overlap 0 is possible, which ends all earlier URLs at once.",
      tags: ["Feeds"],
      body: RotateFeeds,
      response: { 200: RotatedFeedsAnswer, ...problems(400, 401, 403, 409, 413, 415, 429, 503) },
    },
    handler: async ({ caller: { catalogId }, request, trail }) => {
      const { overlap_s: overlapS = DEFAULT_OVERLAP_S } = request.body as RotateFeeds;
      const { previousUntil } = await rotateFeedUrls(
        trail.noting(deps.db, catalogId, { type: "feeds", fields: ["url"] }),
        deps.sealer,
        { catalogId, overlapS },
      );
      const { feeds } = (await describeFeeds(deps, catalogId)).data;
      return { body: { data: { feeds, previous_until: previousUntil.toISOString() } } };
    },
  });
}

function readingAndRendering(api: Api, deps: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/feeds",
    scope: "read",
    schema: {
      operationId: "listFeeds",
      summary: "List feed URLs",
      tags: ["Feeds"],
      response: { 200: FeedsAnswer, ...problems(401, 403, 429, 503) },
    },
    handler: async ({ caller }) => ({ body: await describeFeeds(deps, caller.catalogId) }),
  });

  api.route({
    method: "POST",
    url: "/feeds",
    scope: "write",
    schema: {
      operationId: "renderFeeds",
      summary: "Re-render feeds",
      description: "Regenerates all four files now. Every sync does this by itself.",
      tags: ["Feeds"],
      response: { 200: FeedsAnswer, ...problems(400, 401, 403, 413, 415, 422, 429, 503) },
    },
    handler: async ({ caller, signal, trail }) => {
      const runId = await deps.db.tx(async (tx) => {
        const id = await requestRender(tx, caller.catalogId, "request");
        await trail.note(tx, caller.catalogId, { type: "feeds", runId: id });
        return id;
      });
      const run = await waitForRun({ ...deps, signal }, runId);
      if (run.state === "failed") throw failureOf(run);
      return { body: await describeFeeds(deps, caller.catalogId) };
    },
  });
}

async function describeFeeds({ db, feedUrl }: ApiDeps, catalogId: string): Promise<FeedsAnswer> {
  const catalog = await findCatalog(db, catalogId);
  if (!catalog) throw new AppError("unauthorized", "The catalog of this API key was removed.");
  const published = catalog.publishedRunId === null ? undefined : await findRun(db, catalog.publishedRunId);
  return {
    data: {
      feeds: FEED_FILES.map((file) => ({
        file,
        content_type: RENDERERS[file].contentType,
        url: feedUrl(catalog, file),
      })),
      last_render: published ? lastRender(published) : null,
    },
  };
}

function lastRender({ id, stats, createdAt, startedAt, finishedAt }: Run): LastRender {
  const { items = 0, ...rest } = stats as { items?: number };
  return {
    run_id: id,
    status: "succeeded",
    stats: { items, ...rest },
    started_at: (startedAt ?? createdAt).toISOString(),
    finished_at: (finishedAt ?? createdAt).toISOString(),
  };
}
