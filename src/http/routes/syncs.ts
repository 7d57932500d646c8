/** GET and POST /api/v1/syncs: the run history, and "sync this source now". */
import { AcceptedAnswer, SyncedAnswer, SyncsAnswer, TriggerSync } from "../../contract/syncs.ts";
import type { SyncRun } from "../../contract/syncs.ts";
import { requestSync } from "../../pipeline/requests.ts";
import { listRuns } from "../../store/runs.ts";
import type { Run } from "../../store/runs.ts";
import type { Api, ApiDeps } from "../api.ts";
import { problems } from "../responses.ts";
import { answerSync, statsBody, statusBody } from "../run-answer.ts";

const LISTED = 50;

export function syncRoutes(api: Api, deps: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/syncs",
    scope: "read",
    schema: {
      operationId: "listSyncs",
      summary: "List sync runs",
      description: "The 50 most recent, newest first.",
      tags: ["Syncs"],
      response: { 200: SyncsAnswer, ...problems(401, 403, 429, 503) },
    },
    handler: async ({ caller }) => {
      const runs = await listRuns(deps.db, caller.catalogId, { kind: "sync", limit: LISTED });
      return { body: { data: { syncs: runs.map(syncRun) } } };
    },
  });

  api.route({
    method: "POST",
    url: "/syncs",
    scope: "write",
    schema: {
      operationId: "triggerSync",
      summary: "Trigger a sync",
      description:
        "Pulls one source now and answers when the sync, the render and the audit after it are done. With `Prefer: respond-async` it answers 202 at once. A caller that hangs up does not stop the run.",
      tags: ["Syncs"],
      body: TriggerSync,
      response: {
        200: SyncedAnswer,
        202: AcceptedAnswer,
        ...problems(400, 401, 403, 409, 413, 415, 422, 429, 503),
      },
    },
    handler: async (call) => {
      const { source_id: sourceId } = call.request.body as { source_id: string };
      const { catalogId } = call.caller;
      const db = call.trail.noting(deps.db, catalogId, (runId) => ({
        type: "source",
        id: sourceId,
        runId: runId as string,
      }));
      return answerSync(deps, call, await requestSync(db, { catalogId, sourceId, cause: "request" }));
    },
  });
}

function syncRun({ id, sourceId, state, stats, error, createdAt, startedAt, finishedAt }: Run): SyncRun {
  return {
    run_id: id,
    source_id: sourceId,
    status: statusBody(state),
    stats: statsBody(stats),
    started_at: (startedAt ?? createdAt).toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
    error,
  };
}
