/** GET /api/v1/items and /items/{id}: the stored catalog, and how the audit and the feeds see one item. */
import { ItemAnswer, ItemParams, ItemsAnswer } from "../../contract/items.ts";
import { DEFAULT_LIMIT, PageQuery } from "../../contract/shapes.ts";
import { decodeCursor, encodeCursor } from "../../lib/cursor.ts";
import { withSnakeCase } from "../../lib/snake-case.ts";
import { pageItems, viewItem } from "../../pipeline/audit/item-view.ts";
import type { FeedView, ItemLine, ItemView } from "../../pipeline/audit/item-view.ts";
import type { Api, ApiDeps } from "../api.ts";
import { finding } from "./audits.ts";

export function itemRoutes(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/items",
    scope: "read",
    operationId: "listItems",
    summary: "List items",
    description: "The catalog in the order of the items' ids, with the score of each.",
    tag: "Items",
    query: PageQuery,
    answers: { 200: ItemsAnswer },
    handler: async ({ caller, query }) => {
      const { cursor, limit = DEFAULT_LIMIT } = query;
      const [after = ""] = cursor === undefined ? [] : decodeCursor(cursor, ["string"]);
      const { lines, hasMore } = await pageItems(db, caller.catalogId, { after: String(after), limit });
      const last = hasMore ? lines.at(-1) : undefined;
      const next = last ? encodeCursor([last.item.id]) : null;
      return { body: { data: { items: lines.map(itemLine), next_cursor: next } } };
    },
  });

  api.route({
    method: "GET",
    url: "/items/:id",
    scope: "read",
    operationId: "getItem",
    summary: "Get an item",
    description:
      "The item with all its fields, the result of each audit rule, and its form in each of the four feeds, or why a feed excludes it.",
    tag: "Items",
    params: ItemParams,
    answers: { 200: ItemAnswer },
    problems: [404],
    handler: async ({ caller, params }) => ({
      body: { data: itemBody(await viewItem(db, caller.catalogId, params.id)) },
    }),
  });
}

function itemLine({ item, sourceId, score, findings }: ItemLine) {
  const { id, groupId = null, title, link, images, price, availability } = item;
  const image = images?.[0] ?? null;
  return withSnakeCase({ id, groupId, title, link, image, price, availability, sourceId, score, findings });
}

function itemBody({ item, sourceId, score, report, feeds }: ItemView) {
  const { stake, grade, blocks, rules } = report;
  const named = (outcome: string) => rules.filter((rule) => rule.outcome === outcome).map(({ id }) => id);
  const failed = rules.filter(({ outcome }) => outcome === "failed" || outcome === "partial");
  return {
    item: withSnakeCase(item),
    source_id: sourceId,
    score,
    audit: {
      score: report.score,
      grade,
      stake,
      blocked_by: blocks,
      findings: failed.map((rule) => finding({ itemId: item.id, ...rule })),
      unknown: named("unknown"),
      not_applicable: named("not_applicable"),
    },
    feeds: feeds.map(feedView),
  };
}

function feedView({ file, exclusion, text }: FeedView) {
  const reason = exclusion && { code: exclusion.code, field: exclusion.field, message: exclusion.message };
  return { file, included: exclusion === null, exclusion: reason, text };
}
