/** /api/v1/feeds/fetches and /api/v1/feeds/receipts: who fetched the hosted files, and which render they got. */
import {
  DEFAULT_FETCH_DAYS,
  FetchesAnswer,
  FetchesQuery,
  ReceiptsAnswer,
  ReceiptsQuery,
} from "../../contract/feed-fetches.ts";
import { DEFAULT_LIMIT } from "../../contract/shapes.ts";
import { decodeOffset, encodeCursor } from "../../lib/cursor.ts";
import { withSnakeCase } from "../../lib/snake-case.ts";
import { consumersOf } from "../../pipeline/receipts/fetches.ts";
import { listReceipts } from "../../store/fetch-receipts.ts";
import type { Api, ApiDeps } from "../api.ts";

export function feedFetchRoutes(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/feeds/fetches",
    scope: "read",
    operationId: "listFeedFetches",
    summary: "List who fetches the feeds",
    description:
      "Each consumer of each file: when it fetched last, which render it got, how many renders it is behind, and counts by day. Fetches are written about once a minute.",
    query: FetchesQuery,
    answers: { 200: FetchesAnswer },
    handler: async ({ caller: { catalogId }, query: { days = DEFAULT_FETCH_DAYS } }) => ({
      body: { data: { consumers: [...(await consumersOf(db, catalogId, days))] } },
    }),
  });

  api.route({
    method: "GET",
    url: "/feeds/receipts",
    scope: "read",
    operationId: "listFetchReceipts",
    summary: "List fetch receipts",
    description:
      "What was fetched by whom on which day, and which render they got: `run_id` lists who got one render. Kept for `KEEP_RECEIPTS`.",
    query: ReceiptsQuery,
    answers: { 200: ReceiptsAnswer },
    handler: async ({ caller: { catalogId }, query }) => {
      const { file, consumer, run_id: runId, cursor, limit = DEFAULT_LIMIT } = query;
      const offset = cursor === undefined ? 0 : decodeOffset(cursor);
      const rows = await listReceipts(db, catalogId, { file, consumer, runId, offset, limit: limit + 1 });
      const receipts = rows.slice(0, limit).map(withSnakeCase);
      const next_cursor = rows.length > limit ? encodeCursor([offset + limit]) : null;
      return { body: { data: { receipts, next_cursor } } };
    },
  });
}
