/**
 * Variations and their products. Each variation in the list of all is matched with its product on disk. Without such a
 * list, a few products at a time are asked for theirs. Variations that a product names and no list has are requested at
 * the product, and then by their ids, before they count as deleted.
 */
import type { EventStream } from "../source.ts";
import { isJsonObject, type JsonObject } from "../../lib/json-object.ts";
import { AppError, type ErrorCode } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import { prefetch } from "../../lib/prefetch.ts";
import { timeOf } from "../kit/changes.ts";
import { type IdSet, idSet } from "../kit/id-set.ts";
import { idIn, textIn, toObject } from "../kit/json.ts";
import type { ApiAnswer, Judge } from "../kit/json-api.ts";
import { concurrently } from "../kit/lookup.ts";
import { IncompleteList } from "../kit/offset-pages.ts";
import type { ParentStore } from "../kit/parent-store.ts";
import { completePages, type CatalogPages, type WoocommerceReading } from "./catalog.ts";
import { verdictEvents, withoutId } from "./catalog.ts";
import type { List } from "./client.ts";
import { wooFailure } from "./failures.ts";

/** A product with variations. */
export type VariableProduct = { readonly id: number; readonly row: JsonObject };

type VariationState = WoocommerceReading & {
  /** Variations that were read. */
  readonly known: IdSet;
  /** Products of which a list has a variation. */
  readonly matched: IdSet;
  /** Whether the shop has a list of all variations. */
  hasFullList: boolean;
  /** How many variations were requested one by one. */
  singles: number;
};

/** `store`: the products whose variations are yet to come. If null, each product is asked for its own variations. */
export function variationReader(reading: WoocommerceReading, store: ParentStore<JsonObject> | null) {
  const state: VariationState = {
    ...reading,
    known: idSet(),
    matched: idSet(),
    hasFullList: false,
    singles: 0,
  };
  let list: List | null | undefined;
  return {
    /** The variations of these products; none yet if there is a list of all. */
    async *ofPage(parents: readonly VariableProduct[]): EventStream {
      if (parents.length === 0) return;
      // Only a shop with variable products is asked whether it can list variations.
      if (list === undefined) list = store === null ? null : await reading.catalog.findVariations();
      if (list === null || store === null) yield* ownLists(parents, state);
      else for (const { id, row } of parents) store.set([String(id)], row);
    },
    /** The variations of all products that were stored. */
    async *rest(): EventStream {
      if (!list || store === null) return;
      state.hasFullList = true;
      const pages = allThatAreListed(completePages(reading, list, "variation"));
      for await (const page of prefetch(pages)) for (const row of page) yield* matchEvents(row, store, state);
      for (const key of store.keys()) {
        const parent = { id: Number(key), row: store.get(key) ?? {} };
        const isMissing = reading.catalog.variationIds(parent.row).some((id) => !state.known.has(id));
        if (isMissing || !state.matched.has(parent.id)) yield* ownLists([parent], state);
      }
    },
  };
}

/**
 * The list of all variations counts some that it does not have, such as those of deleted products. The products state
 * which are missing, so a list that is too short is not a failure here.
 */
async function* allThatAreListed(pages: CatalogPages): CatalogPages {
  try {
    yield* pages;
  } catch (error) {
    if (!(error instanceof IncompleteList)) throw error;
  }
}

function* matchEvents(row: JsonObject, store: ParentStore<JsonObject>, state: VariationState) {
  // No product has the id 0.
  const parentId = state.catalog.parentId(row) ?? 0;
  const parent = store.get(String(parentId));
  if (idIn(row) === undefined) yield withoutId(state.events, "variations");
  else if (parent !== undefined) yield* variationEvents({ id: parentId, row: parent }, row, state);
  else if (!state.dropped.has(parentId)) state.events.countDropped("ofUnpublished");
}

function* variationEvents(
  parent: VariableProduct,
  row: JsonObject,
  { catalog, events, known, matched }: VariationState,
) {
  matched.add(parent.id);
  const id = idIn(row);
  if (id === undefined) yield withoutId(events, "variations");
  else if (known.add(id)) {
    events.seeChange(timeOf(textIn(row, "date_modified_gmt")));
    yield* verdictEvents(id, catalog.variation(parent.row, row), { events, product: parent.id });
  }
}

/** Asks products for their own variations. */
async function* ownLists(parents: readonly VariableProduct[], state: VariationState): EventStream {
  const { concurrency } = state.shop.limits;
  for await (const list of concurrently(parents, concurrency, (parent) => readOwnList(parent, state))) {
    // The list of all had rows without an id as well: they are not reported twice.
    const rows = state.hasFullList ? list.rows.filter((row) => idIn(row) !== undefined) : list.rows;
    for (const row of rows) yield* variationEvents(list.parent, row, state);
    yield* singleEvents(list.parent, list.failure, state);
  }
}

/** The variations of one product: at most some thousands. None if the product was deleted in the meantime. */
async function readOwnList(parent: VariableProduct, state: VariationState) {
  const { catalog } = state;
  const rows: JsonObject[] = [];
  if (catalog.variationIds(parent.row).length === 0) return { parent, rows, failure: null };
  try {
    const pages = completePages(state, catalog.variationsOf(parent.id), "variation");
    for await (const page of pages) rows.push(...page);
  } catch (error) {
    if (error instanceof IncompleteList) return { parent, rows, failure: error };
    if (!(error instanceof AppError) || error.code !== "source_not_found") throw error;
  }
  return { parent, rows, failure: null };
}

/** The variations that a product names and its own list does not have. `failure`: that list was too short. */
async function* singleEvents(
  parent: VariableProduct,
  failure: IncompleteList | null,
  state: VariationState,
): EventStream {
  const { catalog, events, known, matched } = state;
  const named = catalog.variationIds(parent.row);
  const missing = [...new Set(named)].filter((id) => !known.has(id));
  // The list counts variations that the product does not name: they cannot be requested.
  if (failure !== null && failure.missing > missing.length) throw failure;
  for (const [id, row] of await readSingles(parent.id, missing, state)) {
    const verdict = catalog.singleVariation(parent.row, row);
    if (typeof verdict !== "string" || verdict === "unpriced") known.add(id);
    yield* verdictEvents(id, verdict, { events, product: parent.id });
  }
  if (named.length === 0 && !matched.has(parent.id)) events.countDropped("noVariations");
}

/** `row` is null if WooCommerce itself says that there is no such variation. */
type Single = readonly [id: number, row: JsonObject | null];

/** Requests variations by their ids. If one exists and cannot be read, the read fails: it would be incomplete. */
async function readSingles(parentId: number, ids: readonly number[], state: VariationState) {
  const { host } = state.shop.api;
  const { maxSingles, concurrency } = state.shop.limits;
  state.singles += ids.length;
  if (state.singles > maxSingles) {
    const message = `${host} names at least ${counted(state.singles, "variation")} that its lists do not have; at most ${maxSingles} are requested one by one. Nothing was changed. In WooCommerce → Status → Tools clear the transients, so that products name only existing variations, and sync again.`;
    throw new AppError("source_incomplete", message);
  }
  try {
    return await Array.fromAsync(concurrently(ids, concurrency, (id) => readSingle(parentId, id, state)));
  } catch (error) {
    if (!(error instanceof AppError) || !REQUEST_FAILURES.has(error.code)) throw error;
    const named = ids.slice(0, MAX_SHOWN).join(", ") + (ids.length > MAX_SHOWN ? ", …" : "");
    const message = `${host} names ${counted(ids.length, "variation")} of product ${parentId} (${named}) that its lists do not have, and that could not be read one by one either. Nothing was changed; the next sync reads it again. If this happens again, a plugin of the shop hides variations from its REST API.`;
    throw new AppError("source_incomplete", message, { cause: error });
  }
}

async function readSingle(
  parentId: number,
  id: number,
  { shop: { api }, catalog }: VariationState,
): Promise<Single> {
  const judge: Judge = (answer) => (isUnknownId(answer) ? "usable" : wooFailure(answer, api.host));
  const { route, query } = catalog.single(parentId, id);
  const answer = await api.get(route, query, judge);
  if (isUnknownId(answer)) return [id, null];
  const { body } = answer;
  if (!isJsonObject(body) || idIn(body) !== id) {
    throw new AppError("source_malformed", `${api.host} did not answer with variation ${id}.`);
  }
  const [row = body] = await catalog.complete([body], "variation");
  return [id, row];
}

/** A 404 of the web server, or of a plugin that hides routes, says nothing about the variation. */
function isUnknownId({ status, body }: ApiAnswer): boolean {
  const code = textIn(toObject(body), "code") ?? "";
  return status === 404 && /^woocommerce_rest_\w*invalid_id$/.test(code);
}

/** Failures of one request. All others concern the whole shop, and keep their messages. */
const REQUEST_FAILURES: ReadonlySet<ErrorCode> = new Set([
  "source_unavailable",
  "source_not_found",
  "source_malformed",
  "source_timeout",
  "source_too_large",
]);

const MAX_SHOWN = 5;
