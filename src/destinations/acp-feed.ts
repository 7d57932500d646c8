/**
 * The nested feed of the Agentic Commerce Protocol, release 2026-04-17: products that have variants, made from the rows
 * of `acp.json`. Prices are integers in minor units, and `price` is what is charged now. Brand, flags, reviews and
 * measures have no place in it.
 */
import { CURRENCIES } from "../lib/iso-codes.ts";
import type { RowChunk } from "./rows.ts";

/** The properties of a row that the feed uses. */
type AcpRow = {
  readonly item_id: string;
  readonly title: string;
  readonly description?: string;
  readonly url?: string;
  readonly image_url?: string;
  readonly additional_image_urls?: readonly string[];
  readonly price: string;
  readonly sale_price?: string;
  readonly availability: string;
  readonly gtin?: string;
  readonly product_category?: string;
  readonly condition?: string;
  readonly group_id?: string;
  readonly variant_dict?: Readonly<Record<string, string>>;
  readonly seller_name?: string;
  readonly return_policy?: string;
  readonly seller_privacy_policy?: string;
  readonly seller_tos?: string;
};

/** Products of a batch, which the Feed API gets in one request. */
const BATCH_PRODUCTS = 500;

/** Writes one product per line. The rows of a group follow each other. */
export async function* acpProducts(rows: AsyncIterable<RowChunk>): AsyncGenerator<RowChunk> {
  let group: AcpRow[] = [];
  let lines: string[] = [];
  const endGroup = () => {
    if (group.length > 0) lines.push(`${JSON.stringify(acpProduct(group))}\n`);
    group = [];
  };
  const take = (): RowChunk => {
    const batch = { bytes: Buffer.from(lines.join("")), rows: lines.length };
    lines = [];
    return batch;
  };
  for await (const { bytes } of rows) {
    for (const line of bytes.toString("utf8").split("\n")) {
      if (line === "") continue;
      const row = JSON.parse(line) as AcpRow;
      const [first] = group;
      if (first && productId(first) !== productId(row)) endGroup();
      group.push(row);
      if (lines.length === BATCH_PRODUCTS) yield take();
    }
  }
  endGroup();
  if (lines.length > 0) yield take();
}

const productId = (row: AcpRow): string => row.group_id ?? row.item_id;

/** Makes a product of its rows. A title and a page that all variants share become the title and page of the product. */
function acpProduct(rows: readonly AcpRow[]) {
  const [first] = rows as readonly [AcpRow];
  const [only] = rows.length === 1 ? rows : [];
  return {
    id: productId(first),
    title: only?.title,
    variants: rows.map(acpVariant),
  };
}

/** Makes a variant of a row. Undefined properties are not written. */
function acpVariant(row: AcpRow) {
  const { price, sale_price: salePrice } = row;
  const images = [row.image_url, ...(row.additional_image_urls ?? [])].filter((image) => image !== undefined);
  const media = images.map((url) => ({ type: "image", url }));
  return {
    id: row.item_id,
    title: row.title,
    description: given(row.description, (plain) => ({ plain })),
    url: row.url,
    barcodes: given(row.gtin, (value) => [{ type: "GTIN", value }]),
    price: acpPrice(salePrice ?? price),
    list_price: given(salePrice, () => acpPrice(price)),
    availability: STATUSES[row.availability],
    categories: given(row.product_category, (value) => [{ value, taxonomy: "merchant" }]),
    condition: given(row.condition, (condition) => [condition]),
    variant_options: given(row.variant_dict, (options) =>
      Object.entries(options).map(([name, value]) => ({ name, value })),
    ),
    media: media.length > 0 ? media : undefined,
    seller: acpSeller(row),
  };
}

function given<T, R>(value: T | undefined, write: (value: T) => R): R | undefined {
  return value === undefined ? undefined : write(value);
}

/**
 * Converts an amount such as `18.00 USD` to minor units: the digits without the point, because our amounts have all
 * digits of the currency.
 */
export function acpPrice(money: string): { readonly amount: number; readonly currency: string } {
  const [amount = "", currency = ""] = money.split(" ");
  const [units = "", fraction = ""] = amount.split(".");
  const digits = CURRENCIES.get(currency) ?? 2;
  return { amount: Number(units + fraction.padEnd(digits, "0").slice(0, digits)), currency };
}

const STATUSES: Readonly<Record<string, { readonly available: boolean; readonly status: string }>> = {
  in_stock: { available: true, status: "in_stock" },
  pre_order: { available: true, status: "preorder" },
  backorder: { available: true, status: "backorder" },
  out_of_stock: { available: false, status: "out_of_stock" },
};

function acpSeller({ seller_name: name, return_policy, seller_privacy_policy, seller_tos }: AcpRow) {
  const links = [
    ["refund_policy", return_policy],
    ["privacy_policy", seller_privacy_policy],
    ["terms_of_service", seller_tos],
  ].flatMap(([type, url]) => (url === undefined ? [] : [{ type, url }]));
  if (name === undefined && links.length === 0) return undefined;
  return { name, links: links.length > 0 ? links : undefined };
}

/** Makes the metadata of the feed. `updated_at` is the time at which the catalog last changed. */
export function acpMetadata(feed: {
  readonly id: string;
  readonly country: string | null;
  readonly updatedAt: Date;
}): string {
  const { id, country, updatedAt } = feed;
  const metadata = {
    id,
    ...(country !== null && { target_country: country }),
    updated_at: updatedAt.toISOString(),
  };
  return `${JSON.stringify(metadata)}\n`;
}
