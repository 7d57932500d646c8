/**
 * A shop's export from its first audit to the last: rules, category mappings and approved proposals gain exactly the
 * points that their dry runs have promised, and the next sync accounts for every approved value.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plan } from "../../src/contract/plans.ts";
import { BULK_CONFIDENCE } from "../../src/contract/proposals.ts";
import { sql } from "../../src/store/sql.ts";
import { untilRun } from "../actions.ts";
import { closeAfterTests } from "../close-after.ts";
import { runningApi } from "./running-api.ts";
import type { Shop } from "./running-api.ts";

const api = closeAfterTests(await runningApi());

const HEADER =
  "Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Fulfillment Service,Variant Price,Variant Compare At Price,Variant Requires Shipping,Variant Taxable,Variant Barcode,Image Src,Image Position,Image Alt Text,Gift Card,SEO Title,SEO Description,Google Shopping / Google Product Category,Google Shopping / Gender,Google Shopping / Age Group,Google Shopping / MPN,Google Shopping / Condition,Variant Image,Variant Weight Unit,Status";

type Product = {
  readonly handle: string;
  readonly title: string;
  readonly text: string;
  readonly vendor?: string;
  readonly type: string;
  readonly price: string;
  readonly barcode?: string;
  /** Values of the option Size. */
  readonly sizes?: readonly string[];
};

/** As Shopify exports them: the first row of a product has its texts, further ones a variant each. */
function rowsOf({
  handle,
  title,
  text,
  vendor = "",
  type,
  price,
  barcode = "",
  sizes = [],
}: Product): string[] {
  const image = `https://cdn.example/${handle}.jpg`;
  const variant = (value: string, at: number): string => {
    const product = at === 0 ? [title, text, vendor, type, "autumn", "true"] : ["", "", "", "", "", ""];
    const sku = `${handle.toUpperCase()}-${at + 1}`;
    const name = at === 0 ? (sizes.length > 0 ? "Size" : "Title") : "";
    const stock = [sku, "200", "shopify", "4", "deny", "manual", price, "", "true", "true", barcode];
    const picture = at === 0 ? [image, "1", "", "false"] : ["", "", "", ""];
    const more = ["", "", "", "", "", "", "", "", "kg", at === 0 ? "active" : ""];
    return [handle, ...product, name, value, "", "", ...stock, ...picture, ...more]
      .map((cell) => `"${cell}"`)
      .join(",");
  };
  return (sizes.length > 0 ? sizes : ["Default Title"]).map(variant);
}

const SOFT = "Washed before it is sewn, so that it keeps its size and its color for many years of daily use.";

const PRODUCTS: readonly Product[] = [
  {
    handle: "harbor-shirt",
    title: "Northwind Harbor Shirt Blue",
    text: `<p>A long-sleeved shirt for men of woven cotton. ${SOFT}</p>`,
    vendor: "Northwind",
    type: "Shirts",
    price: "49.00",
    sizes: ["S", "M", "L"],
  },
  {
    handle: "pier-shirt",
    title: "Northwind Pier Shirt Green",
    text: `<p>A short-sleeved shirt for women of light linen. ${SOFT}</p>`,
    type: "Shirts",
    price: "39.00",
    sizes: ["S", "M"],
  },
  {
    handle: "gale-jacket",
    title: "Northwind Gale Jacket Black",
    text: `<p>A zipped jacket with a lining of soft fleece. ${SOFT}</p>`,
    type: "Jackets",
    price: "119.00",
    barcode: "NW-2041",
  },
  {
    handle: "storm-jacket",
    title: "Northwind Storm Jacket Red",
    text: `<p>A waterproof jacket of polyester with two pockets. ${SOFT}</p>`,
    vendor: "Northwind",
    type: "Jackets",
    price: "129.00",
    barcode: "36000291452",
  },
];

const exported = (products: readonly Product[]): string =>
  [HEADER, ...products.flatMap(rowsOf), ""].join("\n");

type Fraction = { readonly numerator: bigint; readonly denominator: bigint };

function fraction(text: string | null): Fraction {
  const [numerator = "", denominator = ""] = (text ?? "").split("/");
  return { numerator: BigInt(numerator), denominator: BigInt(denominator) };
}

const difference = (a: Fraction, b: Fraction): Fraction => ({
  numerator: a.numerator * b.denominator - b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
});
const sum = (a: Fraction, b: Fraction): Fraction => difference(a, { ...b, numerator: -b.numerator });
const isSame = (a: Fraction, b: Fraction): boolean => difference(a, b).numerator === 0n;

async function audited(shop: Shop): Promise<Fraction> {
  assert.equal((await shop.call("/api/v1/feeds", { method: "POST" })).status, 200);
  const answer = await shop.call("/api/v1/audit");
  type Audit = { exact: { raw: string; denominator: string } };
  const { exact } = (answer.json as { data: { audit: Audit } }).data.audit;
  return fraction(`${exact.raw}/${exact.denominator}`);
}

/** Tries a change, makes it, and returns the points that the dry run has promised. */
async function change(shop: Shop, method: "PUT" | "POST", path: string, body: object): Promise<Plan> {
  const dry = await shop.call(path, { method, body: { ...body, dry_run: true } });
  assert.equal(dry.status, 200, dry.text);
  const made = await shop.call(path, { method, body });
  assert.equal(made.status, 200, made.text);
  return (dry.json as { data: { plan: Plan } }).data.plan;
}

/** A group that is approved as a whole, or one value that is not sure enough for that. */
type Group = { readonly field: string } & (
  | { readonly group: string; readonly expected: number }
  | { readonly ids: readonly string[] }
);

const groupsOf = async ({ id }: Shop): Promise<readonly Group[]> =>
  api.db.query<Group>(sql`
    select min(field) as field,
           case when min(confidence) >= ${BULK_CONFIDENCE}::real then encode(group_key, 'hex') end as "group",
           case when min(confidence) >= ${BULK_CONFIDENCE}::real then count(*) end as expected,
           case when min(confidence) < ${BULK_CONFIDENCE}::real then (array_agg(id order by id))[1:1] end as ids
      from proposals where catalog_id = ${id} and state = 'pending'
     group by group_key having bool_and(is_grounded) order by min(field), min(value)`);

type Value = { readonly id: string; readonly itemId: string; readonly field: string; readonly state: string };

const decided = async ({ id }: Shop): Promise<readonly Value[]> =>
  api.db.query<Value>(sql`
    select id, item_id as "itemId", field, state from proposals
     where catalog_id = ${id} and decided_at is not null order by item_id, field`);

async function googleRows(shop: Shop): Promise<readonly Readonly<Record<string, string>>[]> {
  const [header = "", ...lines] = (await shop.fetch("gmc.tsv")).text.trimEnd().split("\n");
  const names = header.split("\t");
  return lines.map((line) => Object.fromEntries(line.split("\t").map((cell, at) => [names[at] ?? "", cell])));
}

test("an export gains exactly what was promised, and a changed one loses no approved value", async () => {
  const shop = await api.openShop();
  shop.answers({ kind: "file", body: exported(PRODUCTS) });
  assert.equal((await shop.sync()).status, 200);
  const before = await audited(shop);

  const plans = [
    await change(shop, "PUT", "/api/v1/rules", {
      rules: [{ name: "Condition", action: { type: "default", field: "condition", value: "new" } }],
    }),
    await change(shop, "PUT", "/api/v1/categories", {
      mappings: [
        { path: "Shirts", category: "Apparel & Accessories > Clothing > Shirts & Tops" },
        { path: "Jackets", category: "Apparel & Accessories > Clothing > Outerwear > Coats & Jackets" },
      ],
    }),
  ];
  const search = await shop.call("/api/v1/proposals/refresh", { method: "POST" });
  await untilRun(api.db, (search.json as { data: { run_id: string } }).data.run_id, "succeeded");
  const fields = new Set<string>();
  // An approval may replace another proposal for the same field: the list is read again each time.
  for (let [group] = await groupsOf(shop); group; [group] = await groupsOf(shop)) {
    const { field, ...rest } = group;
    const decision = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
    fields.add(field);
    plans.push(await change(shop, "POST", "/api/v1/proposals/approve", decision));
  }
  const after = await audited(shop);

  const promised = plans
    .map((plan) => difference(fraction(plan.after.points), fraction(plan.before.points)))
    .reduce(sum);
  const gained = difference(after, before);
  assert.ok(gained.numerator > 0n);
  assert.ok(isSame(gained, promised));
  for (const field of ["brand", "color", "mpn", "gtin"]) assert.ok(fields.has(field), [...fields].join());

  const approved = await decided(shop);
  const rows = await googleRows(shop);
  assert.ok(approved.every(({ state }) => state === "approved"));

  // The next export: one has the brand itself, one has another brand and a new price, one is gone, one is as before.
  const [harbor, pier, gale, storm] = PRODUCTS as readonly [Product, Product, Product, Product];
  shop.answers({
    kind: "file",
    body: exported([
      harbor,
      { ...pier, vendor: "Northwind" },
      { ...gale, vendor: "Southwind", price: "99.00" },
    ]),
  });
  const resync = await shop.call("/api/v1/syncs", { method: "POST", body: { source_id: shop.sourceId } });
  assert.equal(resync.status, 200, resync.text);

  const now = await decided(shop);
  const later = await googleRows(shop);
  assert.deepEqual(
    now.map(({ id }) => id),
    approved.map(({ id }) => id),
  );
  const statesOf = (handle: string, field: string): readonly string[] => [
    ...new Set(
      now
        .filter((value) => value.itemId.startsWith(handle) && value.field === field)
        .map(({ state }) => state),
    ),
  ];
  const galeRows = later.filter((row) => row["link"]?.includes("gale-jacket"));
  assert.deepEqual(statesOf("PIER", "brand"), ["retired"]);
  assert.deepEqual(statesOf("GALE", "brand"), ["conflicted"]);
  assert.deepEqual(statesOf("GALE", "mpn"), ["approved"]);
  assert.deepEqual(
    galeRows.map((row) => [row["brand"], row["mpn"], row["price"]]),
    [["Northwind", "NW-2041", "99.00 USD"]],
  );
  assert.deepEqual(
    later.filter((row) => row["link"]?.includes("harbor")),
    rows.filter((row) => row["link"]?.includes("harbor")),
  );

  // The item that was gone comes back, with its approved values.
  shop.answers({ kind: "file", body: exported([harbor, pier, gale, storm]) });
  await shop.sync();
  assert.deepEqual(
    (await googleRows(shop)).filter((row) => row["link"]?.includes("storm")),
    rows.filter((row) => row["link"]?.includes("storm")),
  );
});
