/** GET and POST /api/v1/syncs: the run history, and a sync now. */
import {
  AcceptedAnswer,
  PreferHeaders,
  SyncedAnswer,
  SyncsAnswer,
  TriggerSync,
} from "../../contract/syncs.ts";
import type { SyncRun } from "../../contract/syncs.ts";
import { withCamelCase, withSnakeCase } from "../../lib/snake-case.ts";
import { requestSync, requestSyncPlan } from "../../pipeline/requests.ts";
import { findRenderOutcomes, type RenderOutcome } from "../../pipeline/publication/outcome.ts";
import { listRuns } from "../../store/runs.ts";
import type { Run } from "../../store/runs.ts";
import type { Api, ApiDeps } from "../api.ts";
import { answerSync, answerSyncPlan, guardOf, renderStats, statsBody, statusBody } from "../run-answer.ts";

const LISTED = 50;

export function syncRoutes(api: Api, deps: ApiDeps): void {
  listRoute(api, deps);
  triggerRoute(api, deps);
}

function listRoute(api: Api, deps: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/syncs",
    scope: "read",
    operationId: "listSyncs",
    summary: "List sync runs",
    description: "The 50 most recent, newest first.",
    answers: { 200: SyncsAnswer },
    handler: async ({ caller }) => {
      const runs = await listRuns(deps.db, caller.catalogId, { kind: "sync", limit: LISTED });
      const outcomes = await findRenderOutcomes(
        deps.db,
        runs.map(({ id }) => id),
      );
      return { body: { data: { syncs: runs.map((run) => syncRun(run, outcomes.get(run.id))) } } };
    },
  });
}

function triggerRoute(api: Api, deps: ApiDeps): void {
  api.route({
    method: "POST",
    url: "/syncs",
    scope: "write",
    operationId: "triggerSync",
    summary: "Trigger a sync",
    description:
      "Pulls one source now and answers when the sync, the render and the audit after it are done. While another sync of the source runs, the call waits for it and then syncs; calls that wait together share one run. With `Prefer: respond-async` it answers 202 at once. A caller that disconnects does not stop the run. With `dry_run` nothing is stored: the answer has a `plan`; of a dry run in the background GET /runs/{id} has the report.",
    body: TriggerSync,
    ignoresUnknown: true,
    headers: PreferHeaders,
    answers: { 200: SyncedAnswer, 202: AcceptedAnswer },
    problems: [422],
    handler: async ({ caller: { catalogId }, signal, headers, body, changeLog }) => {
      const { sourceId, changesOnly, dryRun: isDryRun = false, maxRemovedRatio } = withCamelCase(body);
      const request = { catalogId, sourceId, cause: "request", maxRemovedRatio } as const;
      if (isDryRun)
        return answerSyncPlan({ ...deps, signal }, headers, await requestSyncPlan(deps.db, request));
      const runId = await requestSync(deps.db, {
        ...request,
        changesOnly,
        guard: await guardOf(deps.db, catalogId, body.guard),
        onQueued: async (tx, id) =>
          changeLog.record(tx, catalogId, { type: "source", id: sourceId, runId: id }),
      });
      return answerSync({ ...deps, signal }, headers, runId);
    },
  });
}

export function syncRun(run: Run, outcome: RenderOutcome | undefined): SyncRun {
  const { id, sourceId, state, stats, error, createdAt, startedAt, finishedAt } = run;
  const body = withSnakeCase({ runId: id, sourceId, startedAt: startedAt ?? createdAt, finishedAt });
  const more = { ...(error && { error }), ...renderStats(outcome) };
  return { ...body, status: statusBody(state), stats: { ...statsBody(stats), ...more } };
}
