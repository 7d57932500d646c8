/**
 * A bulk operation: Shopify writes the answer to one question into a file, at its own pace and outside the points.
 * It can be refused or fail for reasons that have nothing to do with the shop's products, so the outcome is a value:
 * a file, or a sentence that says why there is none.
 */
import { sleep } from "../../lib/async.ts";
import type { AdminApi } from "./admin-api.ts";
import { type JsonObject, isJsonObject, numberIn, objectIn, objectsIn, textIn } from "../kit/json.ts";
import type { BulkLimits } from "./limits.ts";
import { CANCEL_BULK, POLL_BULK, RUN_BULK } from "./queries.ts";

export type BulkFile = {
  /** Signed, so no token goes there; null if nothing matched. */
  readonly url: string | null;
  readonly objects: number;
  readonly roots: number;
  readonly bytes: number;
};

export type BulkOutcome =
  | { readonly kind: "file"; readonly file: BulkFile }
  /** Ends the sentence "The shop was read page by page, because …". */
  | { readonly kind: "refused"; readonly because: string };

/** What keeps an operation from starting, by the code of the answer. */
const NOT_STARTED: Readonly<Record<string, string>> = {
  ACCESS_DENIED:
    "bulk queries are not switched on for this app: switch on bulk operations in the app's API access settings in Shopify's Partner Dashboard",
  LIMIT_REACHED: "this app has as many bulk operations running as Shopify allows",
  OPERATION_IN_PROGRESS: "another bulk operation of this app is still running",
  INVALID: "Shopify does not take our question as a bulk operation",
};

/** How an operation can end without its file, by status and error code. */
const NOT_FINISHED: Readonly<Record<string, string>> = {
  ACCESS_DENIED: "the bulk operation lost its access on the way",
  TIMEOUT: "the bulk operation took longer than Shopify allows",
  INTERNAL_SERVER_ERROR: "the bulk operation failed at Shopify",
  FAILED: "the bulk operation failed at Shopify",
  EXPIRED: "the bulk operation expired at Shopify",
  CANCELED: "the bulk operation was canceled by someone else",
  CANCELING: "the bulk operation was canceled by someone else",
  GONE: "Shopify no longer knows the bulk operation",
};

export async function runBulk(
  api: AdminApi,
  query: string,
  { pollWaitsMs, maxPolls }: Pick<BulkLimits, "pollWaitsMs" | "maxPolls">,
  signal: AbortSignal,
): Promise<BulkOutcome> {
  const started = await start(api, query);
  if (typeof started !== "string") return started;
  for (let poll = 0; poll < maxPolls; poll += 1) {
    await sleep(pollWaitsMs[poll] ?? pollWaitsMs.at(-1) ?? 0, signal);
    signal.throwIfAborted();
    const { data } = await api.ask({ query: POLL_BULK, variables: { id: started } });
    const outcome = outcomeOf(data["bulkOperation"]);
    if (outcome !== null) return outcome;
  }
  await api.ask({ query: CANCEL_BULK, variables: { id: started } });
  return refused("the bulk operation was not finished within the time we wait for one");
}

/** The operation's id, or why there is none. */
async function start(api: AdminApi, query: string): Promise<string | BulkOutcome> {
  const { data, refusal } = await api.ask({
    query: RUN_BULK,
    variables: { query },
    handles: ["ACCESS_DENIED"],
  });
  const payload = objectIn(data, "bulkOperationRunQuery");
  const [error] = objectsIn(payload, "userErrors");
  const id = textIn(objectIn(payload, "bulkOperation"), "id");
  if (refusal === null && error === undefined && id !== undefined) return id;
  const code = refusal ?? textIn(error ?? {}, "code") ?? "INVALID";
  return refused(NOT_STARTED[code] ?? "Shopify did not start a bulk operation");
}

/** Null while it is under way. */
function outcomeOf(operation: unknown): BulkOutcome | null {
  if (!isJsonObject(operation)) return refused(NOT_FINISHED["GONE"] ?? "");
  const status = textIn(operation, "status") ?? "";
  if (status === "COMPLETED") return { kind: "file", file: fileOf(operation) };
  if (status === "CREATED" || status === "RUNNING") return null;
  const because = NOT_FINISHED[textIn(operation, "errorCode") ?? status] ?? NOT_FINISHED["FAILED"];
  return refused(because ?? "");
}

function fileOf(operation: JsonObject): BulkFile {
  const count = (key: string): number => numberIn(operation, key) ?? 0;
  return {
    url: textIn(operation, "url") ?? null,
    objects: count("objectCount"),
    roots: count("rootObjectCount"),
    bytes: count("fileSize"),
  };
}

function refused(because: string): BulkOutcome {
  return { kind: "refused", because };
}
