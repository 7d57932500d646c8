/** The program of a thread that normalizes rows; `normalizer-threads.ts` starts it. */
import { workerData } from "node:worker_threads";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { answerRequests } from "../../lib/request-thread.ts";
import { type NormalizedRows, normalizeRows, type RowBatch } from "./row-batch.ts";

const { settings } = workerData as { readonly settings: CatalogSettings };

answerRequests(
  (rows: RowBatch): NormalizedRows => normalizeRows(rows, settings),
  ({ encoded }) => [encoded.bytes.buffer as ArrayBuffer],
);
