/** The entry point of a thread that normalizes rows; `normalizer-threads.ts` starts it. */
import { parentPort, workerData } from "node:worker_threads";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { normalizeRows, type RowBatch } from "./row-batch.ts";

const { settings } = workerData as { readonly settings: CatalogSettings };

parentPort?.on("message", (rows: RowBatch) => {
  const normalized = normalizeRows(rows, settings);
  parentPort?.postMessage(normalized, [normalized.encoded.bytes.buffer as ArrayBuffer]);
});
