/** GET and POST /api/v1/feeds: where the four files are, and "render them now". */
import { FeedsAnswer } from "../../contract/feeds.ts";
import type { LastRender } from "../../contract/feeds.ts";
import { AppError } from "../../errors.ts";
import { CHANNELS, FEED_FILES } from "../../channels/registry.ts";
import { failureOf, requestRender, waitForRun } from "../../pipeline/requests.ts";
import { findCatalog } from "../../store/catalogs.ts";
import { findRun } from "../../store/runs.ts";
import type { Run } from "../../store/runs.ts";
import type { Api, ApiDeps } from "../api.ts";
import { problems } from "../responses.ts";

export function feedRoutes(api: Api, deps: ApiDeps): void {
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
    handler: async ({ caller, signal }) => {
      const runId = await requestRender(deps.db, caller.catalogId, "request");
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
        content_type: CHANNELS[file].contentType,
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
