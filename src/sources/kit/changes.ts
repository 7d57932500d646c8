/**
 * Reads of some products: of what changed since the last read, or of products that the shop reported as changed. The
 * ids are found first, then these products are read as they are now. What changed is a hint only: a product that is no
 * longer for sale gives no rows, and its items are removed.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import type { HttpClient } from "../../lib/outbound/http-client.ts";
import type { Connector, ReadPart, ShopIds, EventStream, SourceSettings } from "../source.ts";
import { idIn, textIn, toObject } from "./json.ts";
import { matching } from "./settings.ts";

/** A product as a list of changed ones has it. */
export type ChangedProduct = { readonly id: number; readonly changedAt: Date | null };

/** How a connector reads some products. */
export type PartReader<Shop> = {
  /** Products that changed since a time, in pages; null: this shop does not say. */
  readonly changed: (shop: Shop, since: Date) => AsyncIterable<readonly ChangedProduct[] | null>;
  /** The rows of these products. Those that the shop does not have, or does not sell, have none. */
  readonly products: (shop: Shop, ids: readonly number[]) => EventStream;
  /** If more products changed, a complete read is cheaper. */
  readonly maxProducts: number;
  /** The ids of all products, whatever their status. */
  readonly ids: (shop: Shop) => Promise<ShopIds>;
  /** The products that were deleted since a time; null if the shop does not say. */
  readonly deleted?: (shop: Shop, since: Date) => Promise<readonly number[] | null>;
};

/** The products that were deleted since a time, or the ids of all products. */
export async function shopIds<Shop>(
  { ids, deleted }: Pick<PartReader<Shop>, "ids" | "deleted">,
  shop: Shop,
  since: Date | null,
): Promise<ShopIds> {
  const named = since === null ? null : ((await deleted?.(shop, since)) ?? null);
  return named === null ? ids(shop) : { kind: "deleted", products: named.map(String) };
}

/** The products in pages of a list. A `Set`, because the ids of some shops are far apart. */
export async function listedProducts(
  pages: AsyncIterable<readonly (number | undefined)[]>,
): Promise<ShopIds> {
  const products = new Set<number>();
  for await (const page of pages) for (const id of page) if (id !== undefined) products.add(id);
  return { kind: "listed", has: (product) => products.has(Number(product)) };
}

/** The products to read, and the newest change among them; null if everything has to be read. */
export async function productsToRead<Shop>(
  { changed, maxProducts }: Pick<PartReader<Shop>, "changed" | "maxProducts">,
  shop: Shop,
  part: ReadPart,
): Promise<{ readonly ids: readonly number[]; readonly newestChange: Date | null } | null> {
  const ids = new Set(part.products.map(Number));
  const newest = newestTime();
  if (part.kind === "changes") {
    for await (const page of changed(shop, part.since)) {
      if (page === null) return null;
      for (const { id, changedAt } of page) {
        ids.add(id);
        newest.see(changedAt);
      }
      if (ids.size > maxProducts + part.products.length) return null;
    }
  }
  return { ids: [...ids].sort((a, b) => a - b), newestChange: newest.get() };
}

/** The rows of a list of changed products. */
export function changesIn(
  rows: readonly unknown[],
  dateField: string,
  idOf: (row: JsonObject) => number | undefined = idIn,
): readonly ChangedProduct[] {
  return rows.map(toObject).flatMap((row): readonly ChangedProduct[] => {
    const id = idOf(row);
    return id === undefined ? [] : [{ id, changedAt: timeOf(textIn(row, dateField)) }];
  });
}

/** The newest of the times that were seen. */
export function newestTime() {
  let newest: Date | null = null;
  return {
    see: (time: Date | null): void => {
      if (time !== null && (newest === null || time > newest)) newest = time;
    },
    get: (): Date | null => newest,
  };
}

/** A time as shops write it. Without a zone it is UTC, as in WooCommerce's `…_gmt`. */
export function timeOf(text: string | undefined): Date | null {
  if (text === undefined || !/^\d{4}-\d\d-\d\dT/.test(text)) return null;
  const time = new Date(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(time.getTime()) ? null : time;
}

/**
 * When a read began, by the shop's clock, which the first answer states. What changes during the read is dated later,
 * so the next read finds it, whatever our clock says.
 */
export function shopClock(http: HttpClient): { readonly http: HttpClient; readonly startedAt: () => Date } {
  const began = new Date();
  let stated: Date | null = null;
  return {
    http: {
      ...http,
      request: async (request) => {
        const answer = await http.request(request);
        const date = new Date(answer.headers["date"] ?? "");
        if (stated === null && !Number.isNaN(date.getTime())) stated = date;
        return answer;
      },
    },
    startedAt: () => stated ?? began,
  };
}

/** How often everything is read, for connectors that can read what changed. */
export function fullReadField(defaultHours: number, why: string) {
  return {
    full_read_hours: {
      label: "Hours between full reads",
      help: `Syncs in between read only products that changed. 0 reads everything at every sync. ${why}`,
      default: String(defaultHours),
    },
  };
}

export const fullReadCheck = {
  full_read_hours: matching(/^(?:\d|1\d|2[0-4])$/, "Must be a whole number from 0 to 24."),
};

/** Sources that were stored before there was this setting have its default. */
export function fullReadHours(
  { fields }: Pick<Connector, "fields">,
  { full_read_hours: hours }: SourceSettings,
): number {
  return Number(hours ?? fields.find(({ name }) => name === "full_read_hours")?.default ?? 0);
}
