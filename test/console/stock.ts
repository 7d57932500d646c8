/** Shops for the tests of the console: a name, and rows that are synced. */
import assert from "node:assert/strict";
import { checkDigitOf } from "../../src/catalog/gtin.ts";
import type { Shop } from "../api/running-api.ts";
import { csvOf } from "../fakes/shop.ts";
import type { Row } from "../fakes/shop.ts";
import type { Console } from "./browser.ts";

/** A shop whose source has a name. */
export async function openNamedShop({ api }: Console, name: string): Promise<Shop> {
  const shop = await api.openShop();
  const body = { id: shop.sourceId, name };
  assert.equal((await shop.call("/api/v1/sources", { method: "PATCH", body })).status, 200);
  return shop;
}

/** The shop sells these rows from now on. */
export const stock = (shop: Shop, rows: readonly Row[]): void =>
  shop.answers({ kind: "file", body: csvOf(rows) });

/** The shop sells these rows, and the catalog has them. */
export async function sync(shop: Shop, rows: readonly Row[]): Promise<void> {
  stock(shop, rows);
  const { status, text } = await shop.sync();
  assert.equal(status, 200, text);
}

/** A valid GTIN for each number. */
export function gtinOf(number: number): string {
  const digits = `400638${String(number).padStart(6, "0")}`;
  return digits + checkDigitOf(digits);
}
