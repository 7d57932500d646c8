/** The program of a thread that normalizes rows; `normalizer-threads.ts` starts it. */
import { workerData } from "node:worker_threads";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { answerRequests } from "../../lib/request-thread.ts";
import { normalizePacked, type PackedRows } from "./row-batch.ts";

const { settings } = workerData as { readonly settings: CatalogSettings };

answerRequests(
  (rows: PackedRows) => normalizePacked(rows, settings),
  // Writers without a row share their empty buffer, which must not be transferred.
  ({ items }) => (items.count === 0 ? [] : [items.bytes.buffer as ArrayBuffer]),
);
