/** PUT and PATCH /api/v1/catalog: the whole of the pushed items, or some of them, sent along with the call. */
import type { FastifyRequest } from "fastify";
import {
  JSON_LINES_TYPES,
  PushHeaders,
  PushQuery,
  ReplaceBody,
  UpdateBody,
  UpdateQuery,
} from "../../contract/catalog.ts";
import { AcceptedAnswer, SyncedAnswer } from "../../contract/syncs.ts";
import { AppError } from "../../errors.ts";
import { codingOf } from "../../lib/formats/received-bytes.ts";
import { requestPush } from "../../pipeline/push/request.ts";
import type { PushRequest } from "../../pipeline/push/request.ts";
import { findRun } from "../../store/runs.ts";
import type { Api, ApiDeps } from "../api.ts";
import type { Caller } from "../auth.ts";
import { answerSync, answerWhenDone, synced } from "../run-answer.ts";
import type { SyncAnswer } from "../run-answer.ts";
import { bodyBytes, mediaType } from "../stream-bodies.ts";

/** As for a pull that nobody configured otherwise. */
const DEFAULT_MAX_REMOVED_RATIO = 0.5;

const ASYNC =
  "Answers when the run, the render and the audit after it are done; with `Prefer: respond-async` it answers 202 as soon as the body has arrived. JSON or JSON Lines, of any size, `Content-Encoding: gzip` or `zstd` welcome.";

const COMMON = {
  tag: "Catalog",
  headers: PushHeaders,
  answers: { 200: SyncedAnswer, 202: AcceptedAnswer },
  problems: [409, 422],
} as const;

export function catalogRoutes(api: Api, deps: ApiDeps): void {
  api.route({
    method: "PUT",
    url: "/catalog",
    scope: "write",
    ...COMMON,
    operationId: "replaceCatalog",
    summary: "Replace the pushed items",
    description: `The body becomes all of the pushed items: those it does not name are removed, and so are those it names that are rejected. ${ASYNC}`,
    query: PushQuery,
    body: ReplaceBody,
    handler: async (call) =>
      push(deps, call, { mode: "replace", maxRemovedRatio: call.query.max_removed_ratio }),
  });

  api.route({
    method: "PATCH",
    url: "/catalog",
    scope: "write",
    ...COMMON,
    operationId: "updateCatalog",
    summary: "Add, change and delete pushed items",
    description: `A product with title, link and price is added, or replaces the item as a whole. One that lacks any of them changes the fields it sends of a pushed item, \`{ "id": "p50", "price": "1.11 EUR" }\`: all others stay, \`null\` clears one. \`{ "id": …, "delete": true }\` deletes an item. ${ASYNC}`,
    query: UpdateQuery,
    body: UpdateBody,
    handler: async (call) => push(deps, call, { mode: "update" }),
  });
}

type PushCall = {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly request: FastifyRequest;
  readonly headers: PushHeaders;
};
type PushMode = { readonly mode: PushRequest["mode"]; readonly maxRemovedRatio?: string | undefined };

async function push(deps: ApiDeps, call: PushCall, mode: PushMode): Promise<SyncAnswer> {
  const { signal, headers, request } = call;
  const waiting = { ...deps, signal };
  request.allowLongBody();
  const { runId, isRepeated, stats } = await requestPush(deps.db, requestOf(call, mode));
  if (!isRepeated) return answerSync(waiting, headers, runId);
  if (stats !== null && !(await findRun(deps.db, runId))) return synced(runId, stats);
  return answerWhenDone(waiting, runId);
}

function requestOf(
  { caller, signal, headers, request }: PushCall,
  { mode, maxRemovedRatio }: PushMode,
): PushRequest {
  const { "idempotency-key": key = null } = headers;
  const coding = codingOf(request.headers["content-encoding"]);
  if (coding === undefined) {
    throw new AppError(
      "unsupported_media_type",
      "Content-Encoding must be gzip or zstd, or not there at all.",
    );
  }
  const bytes = bodyBytes(request.body);
  if (!bytes) {
    throw new AppError("invalid_request", "The call has no body. Send the products, as JSON or JSON Lines.");
  }
  return {
    catalogId: caller.catalogId,
    mode,
    format: isJsonLines(request.headers["content-type"]) ? "json_lines" : "json",
    maxRemovedRatio: maxRemovedRatio === undefined ? DEFAULT_MAX_REMOVED_RATIO : Number(maxRemovedRatio),
    key,
    bytes,
    coding,
    signal,
  };
}

function isJsonLines(contentType: string | undefined): boolean {
  const type = mediaType(contentType);
  return JSON_LINES_TYPES.some((known) => known === type);
}
