/**
 * The whole shop by a bulk operation: Shopify writes the result of a query into a file, outside the rate limit. The
 * file is compared with what the operation states before any of it is used. A failure of the operation or its file is
 * no failure of the shop: its reason is returned, and the caller reads by pages.
 */
import { isJsonObject } from "../../lib/json-object.ts";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../errors.ts";
import { sleep } from "../../lib/async.ts";
import { counted } from "../../lib/counted.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import { statusFailure } from "../kit/failure.ts";
import { numberIn, objectIn, objectsIn, textIn } from "../kit/json.ts";
import { withRetries } from "../kit/retry.ts";
import type { ReadContext } from "../source.ts";
import { type SortedBulk, sortBulkFile } from "./bulk-file.ts";
import type { AdminApi } from "./client.ts";
import type { ProductBatch } from "./product.ts";
import { CANCEL_BULK, POLL_BULK, RUN_BULK } from "./queries.ts";
import type { ShopifyShop } from "./shop.ts";
import { ownValue } from "../../lib/own-value.ts";

/** How often the file is fetched if it is damaged or too short. */
const MAX_FETCHES = 2;

/** Returns null if everything was read, or the end of the sentence "The shop was read page by page, because …". */
export async function* readBulk<Event>(
  shop: Pick<ShopifyShop, "api" | "limits" | "settings">,
  query: string,
  context: ReadContext,
  events: (batch: ProductBatch) => AsyncGenerator<Event, void, void>,
): AsyncGenerator<Event, string | null, void> {
  const file = await runOperation(shop, query, context.signal);
  if (typeof file === "string") return file;
  const { url, objects } = file;
  if (url === undefined) return objects === 0 ? null : "the bulk operation named no file";
  let reason = "";
  for (let fetches = 1; fetches <= MAX_FETCHES; fetches += 1) {
    const sorted = await fetchFile(url, join(context.spoolDir, `bulk-${fetches}`), context, shop);
    if (typeof sorted === "string") reason = sorted;
    else if (sorted.lines < objects || sorted.roots < file.roots) {
      reason = `the file of the bulk operation has ${counted(sorted.lines, "line")} where Shopify counted ${objects}`;
    } else {
      for await (const batch of sorted.products()) yield* events(batch);
      return null;
    }
  }
  return reason;
}

/** Downloads without the token, because the address is signed. A download that breaks begins again. */
async function fetchFile(
  url: string,
  folder: string,
  { http, signal }: ReadContext,
  { limits: { bulk, retries }, settings: { origin } }: Pick<ShopifyShop, "limits" | "settings">,
): Promise<SortedBulk | string> {
  const path = join(folder, "answer");
  try {
    await mkdir(folder);
    await withRetries(retries, signal, async () => {
      const answer = await http.request({
        url,
        namedBy: origin,
        signal,
        limits: { maxBytes: bulk.maxFileBytes },
      });
      if (answer.status === 200) {
        return { kind: "done", value: await pipeline(answer.body, createWriteStream(path)) };
      }
      answer.discard();
      return { kind: "failed", failure: statusFailure(answer, new Date()) };
    });
    return await sortBulkFile({ path, folder, signal }, bulk);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FormatError) return "the file of the bulk operation is damaged or ends too soon";
    if (!(error instanceof AppError)) throw error;
    return `the file of the bulk operation could not be fetched (${error.code})`;
  }
}

/** Why an operation does not start, by error code. */
const NOT_STARTED: Readonly<Record<string, string>> = {
  ACCESS_DENIED:
    "bulk queries are not switched on for this app: switch on bulk operations in the app's API access settings in Shopify's Partner Dashboard",
  LIMIT_REACHED: "this app has as many bulk operations running as Shopify allows",
  OPERATION_IN_PROGRESS: "another bulk operation of this app is still running",
  INVALID: "Shopify does not accept our query as a bulk operation",
};

/** Why an operation has no file, by status and error code. */
const NOT_FINISHED: Readonly<Record<string, string>> = {
  ACCESS_DENIED: "the bulk operation lost its access while it ran",
  TIMEOUT: "the bulk operation took longer than Shopify allows",
  EXPIRED: "the bulk operation expired at Shopify",
  CANCELED: "the bulk operation was canceled by someone else",
  CANCELING: "the bulk operation was canceled by someone else",
};

type BulkFile = { readonly url: string | undefined; readonly objects: number; readonly roots: number };

/** The file, or why there is none. */
async function runOperation(
  { api, limits: { bulk } }: Pick<ShopifyShop, "api" | "limits">,
  query: string,
  signal: AbortSignal,
): Promise<BulkFile | string> {
  const started = await startOperation(api, query);
  if (started.id === undefined) return started.reason;
  const variables = { id: started.id };
  for (let poll = 0; poll < bulk.maxPolls; poll += 1) {
    await sleep(bulk.pollWaitsMs[poll] ?? bulk.pollWaitsMs.at(-1) ?? 0, signal);
    signal.throwIfAborted();
    const { data } = await api.query({ query: POLL_BULK, variables });
    const result = resultOf(data["bulkOperation"]);
    if (result !== null) return result;
  }
  await api.query({ query: CANCEL_BULK, variables });
  return "the bulk operation was not finished within the time we wait for one";
}

async function startOperation(api: AdminApi, query: string) {
  const handles = ["ACCESS_DENIED"];
  const { data, refusal } = await api.query({ query: RUN_BULK, variables: { query }, handles });
  const payload = objectIn(data, "bulkOperationRunQuery");
  const [error] = objectsIn(payload, "userErrors");
  const id = textIn(objectIn(payload, "bulkOperation"), "id");
  if (refusal === null && error === undefined && id !== undefined) return { id };
  const code = refusal ?? textIn(error ?? {}, "code") ?? "INVALID";
  return { id: undefined, reason: ownValue(NOT_STARTED, code) ?? "Shopify did not start a bulk operation" };
}

/** Null while the operation runs. */
function resultOf(operation: unknown): BulkFile | string | null {
  if (!isJsonObject(operation)) return "Shopify no longer knows the bulk operation";
  const status = textIn(operation, "status") ?? "";
  if (status === "CREATED" || status === "RUNNING") return null;
  if (status !== "COMPLETED") {
    return (
      ownValue(NOT_FINISHED, textIn(operation, "errorCode") ?? status) ??
      "the bulk operation failed at Shopify"
    );
  }
  const [objects, roots] = [numberIn(operation, "objectCount"), numberIn(operation, "rootObjectCount")];
  return { url: textIn(operation, "url"), objects: objects ?? 0, roots: roots ?? 0 };
}
