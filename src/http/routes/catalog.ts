/** PUT and PATCH /api/v1/catalog: pushes all items, or some of them. POST /api/v1/catalog/preview: previews a push. */
import {
  FILE_TYPES,
  JSON_LINES_TYPES,
  PreviewAnswer,
  PreviewQuery,
  PushHeaders,
  PushQuery,
  ReplaceBody,
  UpdateBody,
  UpdateQuery,
} from "../../contract/catalog.ts";
import { AcceptedAnswer, SyncedAnswer } from "../../contract/syncs.ts";
import { AppError, invalidRequest } from "../../errors.ts";
import { receiveUpload } from "../../pipeline/push/preview.ts";
import type { PushBody } from "../../pipeline/push/receive.ts";
import { codingOf } from "../../pipeline/push/received-bytes.ts";
import { requestPush } from "../../pipeline/push/request.ts";
import type { PushRequest } from "../../pipeline/push/request.ts";
import { requestSourceTest } from "../../pipeline/source-tests/request.ts";
import { checkFeedUrl } from "../../sources/feed-url/settings.ts";
import { findRun } from "../../store/runs.ts";
import type { Api, ApiDeps, Call } from "../api.ts";
import { answerSync, answerWhenDone, synced } from "../run-answer.ts";
import type { SyncAnswer } from "../run-answer.ts";
import { sampleView } from "../sample-view.ts";
import { bodyBytes, charsetOf, mediaType } from "../stream-bodies.ts";

/** The default of a source. */
const DEFAULT_MAX_REMOVED_RATIO = 0.5;

const ASYNC =
  "Answers when the run, the render and the audit after it are done; with `Prefer: respond-async` it answers 202 as soon as the body has arrived. JSON, JSON Lines, or a file in any format that a feed URL may have (CSV, TSV, XML, compressed or not), of any size; `Content-Encoding` may be `gzip` or `zstd`.";

const COMMON = {
  headers: PushHeaders,
  answers: { 200: SyncedAnswer, 202: AcceptedAnswer },
  problems: [422],
} as const;

export function catalogRoutes(api: Api, deps: ApiDeps): void {
  api.route({
    method: "PUT",
    url: "/catalog",
    scope: "write",
    ...COMMON,
    operationId: "replaceCatalog",
    summary: "Replace the pushed items",
    description: `The body replaces all pushed items. Items that are not in it, or that are rejected, are removed. ${ASYNC}`,
    query: PushQuery,
    body: ReplaceBody,
    handler: async (call) => push(deps, call, "replace"),
  });

  api.route({
    method: "PATCH",
    url: "/catalog",
    scope: "write",
    ...COMMON,
    operationId: "updateCatalog",
    summary: "Add, change and delete pushed items",
    description: `A product changes the fields that it sends, such as \`{ "id": "p50", "price": "1.11 EUR" }\`, and \`null\` clears a field. A product that is not stored yet is added; it needs a title and a price. \`"mode": "replace"\` replaces the whole item. \`{ "id": …, "delete": true }\` deletes an item. ${ASYNC}`,
    query: UpdateQuery,
    body: UpdateBody,
    handler: async (call) => push(deps, call, "update"),
  });

  api.route({
    method: "POST",
    url: "/catalog/preview",
    scope: "write",
    heavy: "test",
    operationId: "previewCatalog",
    summary: "Preview a push",
    description:
      "Takes the body of `PUT /catalog`, or with `mode=update` that of `PATCH /catalog`, and answers what it is and how its first 20 items would be stored, with the rejections and warnings of these. Changes nothing. Reads the first 8 MB; a zip archive must be smaller. A body that the push would refuse is refused in the same way.",
    query: PreviewQuery,
    body: UpdateBody,
    answers: { 200: PreviewAnswer },
    problems: [422],
    handler: async (call) => {
      const { request, signal, caller } = call;
      const { catalogId } = caller;
      request.allowLongBody();
      const { mode = "replace", ...query } = call.query;
      const upload = await receiveUpload({ mode, ...bodyOf({ ...call, query }) });
      const sampled = await requestSourceTest(deps, { catalogId, test: { upload }, signal });
      return { body: { data: { format: sampled.format, ...sampleView(sampled) } } };
    },
  });
}

type PushCall = Pick<Call, "caller" | "signal" | "request" | "changeLog"> & {
  readonly headers: PushHeaders;
  readonly query: PushQuery;
};
type FileSettings = Readonly<Record<string, string>>;

async function push(deps: ApiDeps, call: PushCall, mode: PushRequest["mode"]): Promise<SyncAnswer> {
  const { signal, headers, request } = call;
  const waiting = { ...deps, signal };
  request.allowLongBody();
  const { runId, isRepeated, stats } = await requestPush(deps, requestOf(call, mode));
  if (!isRepeated) return answerSync(waiting, headers, runId);
  if (stats !== null && !(await findRun(deps.db, runId))) return synced(runId, stats);
  return answerWhenDone(waiting, runId);
}

function requestOf(call: PushCall, mode: PushRequest["mode"]): PushRequest {
  const { caller, headers, changeLog } = call;
  const { "idempotency-key": key = null } = headers;
  const { guard = "hold" } = call.query;
  return {
    catalogId: caller.catalogId,
    mode,
    key,
    guard,
    onOpen: async (tx, runId) => changeLog.record(tx, caller.catalogId, { type: "items", runId }),
    ...bodyOf(call),
  };
}

function bodyOf({
  signal,
  query,
  request,
}: Pick<PushCall, "signal" | "query" | "request">): Omit<PushBody, "mode"> {
  const { max_removed_ratio: ratio, guard: _guard, ...settings } = query;
  const coding = codingOf(request.headers["content-encoding"]);
  if (coding === undefined) {
    throw new AppError(
      "unsupported_media_type",
      "Content-Encoding must be gzip or zstd, or must not be sent.",
    );
  }
  const bytes = bodyBytes(request.body);
  if (!bytes) {
    throw invalidRequest("The call has no body. Send products as JSON, JSON Lines or a file.");
  }
  return {
    ...formatOf(request.headers["content-type"], checked(settings)),
    maxRemovedRatio: ratio === undefined ? DEFAULT_MAX_REMOVED_RATIO : Number(ratio),
    bytes,
    coding,
    signal,
  };
}

type Format = Pick<PushRequest, "format" | "file">;

/** JSON stays JSON, unless the caller says how to read it as a feed. */
function formatOf(contentType: string | undefined, settings: FileSettings): Format {
  const type = mediaType(contentType);
  const isFile = FILE_TYPES.some((known) => known === type) || Object.keys(settings).length > 0;
  if (isFile) return { format: "file", file: { charset: charsetOf(contentType), settings } };
  return { format: JSON_LINES_TYPES.some((known) => known === type) ? "json_lines" : "json", file: null };
}

function checked(settings: FileSettings): FileSettings {
  const problems = checkFeedUrl(settings);
  if (problems.length === 0) return settings;
  const sentences = problems.map(({ setting, detail }) => `${setting}: ${detail}`);
  throw new AppError("invalid_request", `The request's query is invalid. ${sentences.join(" ")}`, {
    fields: problems.map(({ setting, detail }) => ({ pointer: `/${setting}`, detail })),
  });
}
