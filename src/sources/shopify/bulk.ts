/**
 * The whole shop by one bulk operation. The file is checked against what the operation says it wrote before anything
 * of it is used, and fetched once more if it falls short. Whatever goes wrong with the operation or its file is no
 * failure of the shop: the generator returns why it could not do it, and the caller reads by pages.
 */
import { counted } from "../../lib/counted.ts";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../errors.ts";
import { FormatError } from "../../lib/formats/format-error.ts";
import type { ReadContext } from "../source.ts";
import type { AdminApi } from "./admin-api.ts";
import { downloadBulk } from "./bulk-download.ts";
import { type SortedBulk, sortBulkFile } from "./bulk-file.ts";
import { type BulkFile, runBulk } from "./bulk-operation.ts";
import type { ShopifyLimits } from "./limits.ts";
import type { Batch } from "./pages.ts";

export type BulkReading = {
  readonly api: AdminApi;
  readonly query: string;
  readonly context: Pick<ReadContext, "http" | "signal" | "spoolDir">;
  readonly limits: ShopifyLimits;
};

/** Returns null when it has given everything, or else the end of "The shop was read page by page, because …". */
export async function* bulkProducts(reading: BulkReading): AsyncGenerator<Batch, string | null, void> {
  const { api, query, context, limits } = reading;
  const outcome = await runBulk(api, query, limits.bulk, context.signal);
  if (outcome.kind === "refused") return outcome.because;
  const { file } = outcome;
  if (file.url === null) return file.objects === 0 ? null : "the bulk operation named no file";
  let because = "";
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const fetched = await fetchAndSort(file.url, attempt, reading);
    because = typeof fetched === "string" ? fetched : shortfall(fetched, file);
    if (typeof fetched === "string" || because !== "") continue;
    yield* fetched.products();
    return null;
  }
  return because;
}

async function fetchAndSort(
  url: string,
  attempt: number,
  { context, limits }: BulkReading,
): Promise<SortedBulk | string> {
  const { signal, spoolDir } = context;
  const folder = join(spoolDir, `bulk-${attempt}`);
  const path = join(folder, "answer");
  try {
    await mkdir(folder);
    await downloadBulk(url, path, context, limits);
    return await sortBulkFile({ path, folder, signal }, limits.bulk);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError)
      return `the file of the bulk operation could not be fetched (${error.code})`;
    if (error instanceof FormatError) return "the file of the bulk operation is damaged or ends too soon";
    throw error;
  }
}

function shortfall({ lines, roots }: SortedBulk, file: BulkFile): string {
  if (lines >= file.objects && roots >= file.roots) return "";
  return `the file of the bulk operation has ${counted(lines, "line")} where Shopify counted ${file.objects}`;
}
