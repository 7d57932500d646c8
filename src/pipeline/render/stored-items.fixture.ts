/** Items that are stored without a sync, for tests of renders. */
import { encodeItem, type Item } from "../../catalog/item.ts";
import type { Db } from "../../store/db.ts";

/** Makes these the items of the catalog. */
export async function storeItems(db: Db, catalogId: string, items: readonly Item[]): Promise<void> {
  const rows = items.map((item) => ({ item, ...encodeItem(item) }));
  await db.tx(async (tx) => {
    await tx.execute({ text: "delete from items where catalog_id = $1", values: [catalogId] });
    await tx.execute({
      text: `insert into items (catalog_id, id, fingerprint, sort_key, group_id, body)
             select $1, id, decode(fingerprint, 'hex'), coalesce(group_id, id), group_id, body
               from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as t (id, fingerprint, group_id, body)`,
      values: [
        catalogId,
        rows.map(({ item }) => item.id),
        rows.map(({ fingerprint }) => fingerprint),
        rows.map(({ item }) => item.groupId ?? null),
        rows.map(({ body }) => body),
      ],
    });
    await tx.execute({
      text: "update catalogs set item_count = $2, snapshot = snapshot + 1 where id = $1",
      values: [catalogId, items.length],
    });
  });
}

/** A catalog that takes several segments. */
export const wideItems = (count: number): Item[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `w${String(at).padStart(5, "0")}`,
    ...(at % 7 < 3 && { groupId: `g${String(at - (at % 7)).padStart(5, "0")}` }),
    title: `Lamp ${at}`,
    description: `What there is to say about lamp ${at}. `.repeat(12),
    link: `https://shop.example/lamps/${at}`,
    images: [`https://shop.example/${at}.jpg`],
    price: { amount: `${10 + (at % 90)}.00`, currency: "USD" },
    availability: "in_stock",
    ...(at % 11 !== 0 && { brand: "Acme" }),
  }));
