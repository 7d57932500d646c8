/**
 * Products by pages, in ascending order of their ids. Shopify's lists stop at 25,000 objects, so after some thousands
 * a new list is begun behind the last id; a question that Shopify finds too costly is asked again for less, and stays
 * that small for the rest of the read.
 */
import { prefetch } from "../../lib/prefetch.ts";
import type { AdminApi, Reply } from "./admin-api.ts";
import { listAt, objectAt } from "./json.ts";
import type { PageSize } from "./limits.ts";
import { type Extras, pageQuery } from "./queries.ts";
import { isUnreadable, nextCursor, readPageProduct, type ShopProduct, type Unreadable } from "./wire.ts";

export type Batch = readonly (ShopProduct | Unreadable)[];

export type Walk = {
  readonly api: AdminApi;
  readonly extras: Extras;
  /** In Shopify's search syntax. */
  readonly filter: string;
  readonly size: PageSizing;
  readonly sliceProducts: number;
};

/** The size of pages, shared by all walks of a read: it only ever shrinks. */
export type PageSizing = { current: PageSize };

export function walkProducts(walk: Walk, behind: number): AsyncGenerator<Batch, void, void> {
  return prefetch(slices(walk, behind));
}

/** For a first look. */
export async function firstPage(walk: Walk): Promise<Batch> {
  return (await readPage(walk, 0, null)).batch;
}

async function* slices(walk: Walk, behind: number): AsyncGenerator<Batch, void, void> {
  let last = behind;
  let isMore = true;
  while (isMore) {
    isMore = false;
    let count = 0;
    for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
      const page: Page = await readPage(walk, last, after);
      count += page.batch.length;
      if (count >= walk.sliceProducts && page.next !== null) {
        isMore = true;
        last = highest(page.batch, last);
      }
      after = isMore ? null : page.next;
      yield page.batch;
    }
  }
}

function highest(batch: Batch, least: number): number {
  return batch.reduce((most, product) => Math.max(most, isUnreadable(product) ? 0 : product.number), least);
}

type Page = { readonly batch: Batch; readonly next: string | null };

async function readPage(walk: Walk, behind: number, after: string | null): Promise<Page> {
  const { data } = await askSmaller(walk, {
    after,
    filter: behind > 0 ? `${walk.filter} AND id:>${behind}` : walk.filter,
  });
  const products = objectAt(data, "products");
  return { batch: listAt(products, "nodes").map(readPageProduct), next: nextCursor(products) };
}

async function askSmaller(
  { api, extras, size }: Walk,
  place: Readonly<Record<string, unknown>>,
): Promise<Reply> {
  while (true) {
    const { products, variants } = size.current;
    const smaller = shrink(size.current);
    const reply = await api.ask({
      query: pageQuery(extras),
      variables: { ...place, first: products, variants },
      // The smallest question that is still too costly is a failure with a sentence of its own.
      handles: smaller === null ? [] : ["MAX_COST_EXCEEDED"],
    });
    if (reply.refusal === null || smaller === null) return reply;
    size.current = smaller;
  }
}

/** Half as many products, and with one product half as many variants; null when there is nothing left to halve. */
export function shrink({ products, variants }: PageSize): PageSize | null {
  if (products > 1) return { products: Math.floor(products / 2), variants };
  return variants > 1 ? { products, variants: Math.floor(variants / 2) } : null;
}
