/**
 * GET and DELETE /api/v1/items, GET /items/{id} and /items/{id}/explain: the stored catalog, and one item in the audit
 * and in the feeds.
 */
import { ExplainAnswer, ExplainOneQuery, ExplainQuery } from "../../contract/explain.ts";
import {
  ItemAnswer,
  ItemsAnswer,
  ItemsQuery,
  OneItem,
  RemovedItemsAnswer,
  RemoveItems,
  type RemoveItems as RemoveItemsBody,
} from "../../contract/items.ts";
import { DEFAULT_LIMIT } from "../../contract/shapes.ts";
import { AcceptedAnswer, PreferHeaders } from "../../contract/syncs.ts";
import { decodeCursor, encodeCursor } from "../../lib/cursor.ts";
import { withSnakeCase } from "../../lib/snake-case.ts";
import { pageItems, storedForm, viewItem } from "../../pipeline/items/item-view.ts";
import { searchItems } from "../../pipeline/items/item-search.ts";
import type { ItemFilter } from "../../pipeline/items/item-search.ts";
import type { ItemLine, ItemView } from "../../pipeline/items/item-view.ts";
import type { FeedView } from "../../pipeline/render/item-in-feeds.ts";
import type { ServedDeps } from "../../pipeline/publication/comparison/served-item.ts";
import { explainItem } from "../../pipeline/explain/explain.ts";
import {
  checkRemoval,
  findForRemoval,
  type RemovalDeps,
  type RemovedItems,
  requestRemoval,
} from "../../pipeline/push/remove-items.ts";
import { remedyFor } from "../../pipeline/render/remedies.ts";
import type { FeedFolders } from "../../files/feed-folders.ts";
import type { Api, ApiDeps } from "../api.ts";
import { accepted, answerWhenDone, guardOf, prefersAsync } from "../run-answer.ts";
import { finding } from "./audits.ts";

type ItemDeps = ApiDeps & { readonly folders: FeedFolders };

export function itemRoutes(api: Api, { db, notices, folders }: ItemDeps): void {
  api.route({
    method: "GET",
    url: "/items",
    scope: "read",
    heavy: "page",
    operationId: "listItems",
    summary: "List items",
    description:
      "All items by id, or those that match every filter, each with its score. A search ends within about 200 ms: where it has not seen everything by then, the page is short and has a `next_cursor`.",
    query: ItemsQuery,
    answers: { 200: ItemsAnswer },
    handler: async ({ caller, query }) => {
      const { cursor, limit = DEFAULT_LIMIT, ...asked } = query;
      const filter = filterOf(asked);
      if (Object.keys(filter).length > 0) {
        const place = cursor === undefined ? {} : { cursor };
        const found = await searchItems({ db, folders }, caller.catalogId, { ...filter, ...place, limit });
        return { body: { data: { items: found.lines.map(itemLine), next_cursor: found.nextCursor } } };
      }
      const [after = ""] = cursor === undefined ? [] : decodeCursor(cursor, ["string"]);
      const { lines, hasMore } = await pageItems(db, caller.catalogId, { after: String(after), limit });
      const last = hasMore ? lines.at(-1) : undefined;
      const next = last ? encodeCursor([last.item.id]) : null;
      return { body: { data: { items: lines.map(itemLine), next_cursor: next } } };
    },
  });
  removal(api, { db, notices, folders });
  oneItem(api, { db, folders });
  explanation(api, { db, folders });
}

function removal(api: Api, deps: RemovalDeps): void {
  const { db } = deps;
  api.route({
    method: "DELETE",
    url: "/items",
    scope: "write",
    operationId: "removeItems",
    summary: "Remove pushed items",
    description:
      "Removes the pushed items that match, by a filter of `GET /items` or by their ids; with `all`, every pushed item. Items of a source are not removed: the next sync would bring them back. With `dry_run` it only says how many match. It is a push: it has a run with counts, renders the feeds and re-runs the audit. With `Prefer: respond-async` it answers 202 at once.",
    headers: PreferHeaders,
    body: RemoveItems,
    answers: { 200: RemovedItemsAnswer, 202: AcceptedAnswer },
    problems: [404, 409, 422],
    handler: async ({ caller: { catalogId }, headers, body, signal, changeLog }) => {
      const items = removedItems(body);
      checkRemoval(items);
      if (body.dry_run === true) {
        const found = await findForRemoval(deps, catalogId, items);
        return { body: { data: { ...found, run_id: null, stats: null } } };
      }
      const { runId, ...found } = await requestRemoval(deps, {
        catalogId,
        items,
        expected: body.expected ?? null,
        guard: await guardOf(db, catalogId, body.guard),
        onOpen: async (tx, id) => changeLog.record(tx, catalogId, { type: "items", runId: id }),
        signal,
      });
      if (prefersAsync(headers.prefer)) return accepted(runId);
      const { body: done } = await answerWhenDone({ ...deps, signal }, runId);
      const stats = "stats" in done.data ? done.data.stats : null;
      return { body: { data: { ...found, run_id: runId, stats } } };
    },
  });
}

function removedItems(body: RemoveItemsBody): RemovedItems {
  const { ids, all, dry_run: _dryRun, expected: _expected, guard: _guard, ...asked } = body;
  const { sourceId: _pushed, ...filter } = filterOf(asked);
  return { ...filter, ...(ids && { ids: ids.map(storedForm) }), ...(all === true && { all }) };
}

function oneItem(api: Api, deps: ServedDeps): void {
  const common = {
    method: "GET",
    scope: "read",
    answers: { 200: ItemAnswer },
    problems: [404],
  } as const;
  const answer = async (catalogId: string, id: string) => ({
    body: { data: itemBody(await viewItem(deps, catalogId, id)) },
  });
  api.route({
    ...common,
    url: "/items/:id",
    heavy: "page",
    operationId: "getItem",
    summary: "Get an item",
    description:
      "The item with all its fields, the result of each audit rule, and its form in each of the four feeds, and why a destination will refuse it. `published` has what the served files have instead, while the catalog has changes that they do not have.",
    params: OneItem,
    handler: async ({ caller, params }) => answer(caller.catalogId, params.id),
  });
  api.route({
    ...common,
    url: "/item",
    heavy: "page",
    operationId: "getItemByQuery",
    summary: "Get an item by a query parameter",
    description:
      "Answers like `GET /items/{id}`, for any id. The ids `.` and `..` work only here: clients remove them from paths, also as `%2E`.",
    query: OneItem,
    handler: async ({ caller, query }) => answer(caller.catalogId, query.id),
  });
}

function explanation(api: Api, deps: ServedDeps): void {
  const common = {
    method: "GET",
    scope: "read",
    answers: { 200: ExplainAnswer },
    problems: [404],
  } as const;
  api.route({
    ...common,
    url: "/items/:id/explain",
    heavy: "page",
    operationId: "explainItem",
    summary: "Explain the values of an item",
    description:
      "For each field: what the source has, what category mappings, rules and approved proposals did to it, and what each file has: the text as it is, cut, in another form or made of several fields, or why it has none.",
    params: OneItem,
    query: ExplainQuery,
    handler: async ({ caller, params, query }) => ({
      body: { data: await explainItem(deps, caller.catalogId, params.id, query) },
    }),
  });
  api.route({
    ...common,
    url: "/item/explain",
    heavy: "page",
    operationId: "explainItemByQuery",
    summary: "Explain the values of an item by a query parameter",
    description: "Answers like `GET /items/{id}/explain`, for any id.",
    query: ExplainOneQuery,
    handler: async ({ caller, query: { id, ...query } }) => ({
      body: { data: await explainItem(deps, caller.catalogId, id, query) },
    }),
  });
}

function filterOf(asked: Omit<ItemsQuery, "cursor" | "limit">): ItemFilter {
  const { q, source_id: sourceId, group_id: groupId, finding: rule, refused_in: refusedIn } = asked;
  return {
    ...(q !== undefined && q.trim() !== "" && { q }),
    ...(sourceId !== undefined && { sourceId: sourceId === "pushed" ? null : sourceId.toLowerCase() }),
    ...(groupId !== undefined && { groupId }),
    ...(rule !== undefined && { finding: rule }),
    ...(refusedIn !== undefined && { refusedIn }),
  };
}

function itemLine({ item, sourceId, score, findings }: ItemLine) {
  const { id, groupId = null, title, brand = null, link = null, images, price, availability } = item;
  const image = images?.[0] ?? null;
  const shown = { id, groupId, title, brand, link, image, price, availability };
  return withSnakeCase({ ...shown, sourceId, score, findings });
}

function itemBody({ item, sourceId, source, score, report, published, feeds }: ItemView) {
  const { stake, grade, blocks, rules } = report;
  const { google, ...fields } = item;
  const named = (outcome: string) => rules.filter((rule) => rule.outcome === outcome).map(({ id }) => id);
  const failed = rules.filter(({ outcome }) => outcome === "failed" || outcome === "partial");
  return {
    item: { ...withSnakeCase(fields), ...(google && { google }) },
    source_id: sourceId,
    source: source ? { id: source.id, kind: source.kind, name: source.name } : null,
    score,
    audit: {
      score: report.score,
      grade,
      stake,
      blocked_by: blocks,
      findings: failed.map((rule) => finding({ itemId: item.id, itemTitle: item.title, ...rule })),
      unknown: named("unknown"),
      not_applicable: named("not_applicable"),
    },
    published,
    feeds: feeds.map(feedView),
  };
}

function feedView({ file, refusal, text, columns }: FeedView) {
  const reason = refusal && {
    code: refusal.code,
    field: refusal.field,
    message: refusal.message,
    remedy: remedyFor(refusal.code) ?? null,
  };
  return { file, included: refusal?.isWritten ?? true, refusal: reason, text, columns };
}
