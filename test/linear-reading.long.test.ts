/**
 * Reading a feed takes about linear time in the length of a cell or of a column's name. Growth is measured, not
 * seconds: every column of a row has the same hostile text, once of one length and once of four times that length.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { tempDir } from "./fresh.ts";
import { offlineFeed } from "./offline-feed.ts";

/** Headers by which each dialect is known, and the columns whose cells have a structure of their own. */
const HEADERS: Readonly<Record<string, string>> = {
  google: `id,title,description,link,image_link,additional_image_link,price,sale_price,sale_price_effective_date,
    availability,brand,gtin,mpn,product_type,google_product_category,shipping,product_highlight,product_detail,
    structured_title,handling_cutoff_time,color,size,shipping_weight,unit_pricing_measure,item_group_id,tax,
    certification,installment,loyalty_program,condition,video_link`,
  shopify: `Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,
    Variant Grams,Variant Inventory Qty,Variant Price,Variant Compare At Price,Variant Barcode,Image Src,Status`,
  woocommerce: `ID,Type,SKU,Name,Published,Short description,Description,In stock?,Stock,Regular price,Sale price,
    Categories,Tags,Images,Parent,Attribute 1 name,Attribute 1 value(s),Weight (kg)`,
  magento: `sku,attribute_set_code,product_type,categories,product_websites,name,description,short_description,
    weight,price,special_price,url_key,base_image,additional_images,additional_attributes,qty,is_in_stock,
    configurable_variations,configurable_variation_labels`,
  bigcommerce: `Item,ID,Name,Type,SKU,Options,Inventory Tracking,Current Stock,Price,Sale Price,Brand ID,Channels,
    Categories,Description,Images,Internal Image URL (Export),Image URL (Import)`,
  prestashop: `Product ID,Active (0/1),Name,Categories (x;y;z...),Price tax included,Reference #,
    Image URLs (x;y;z...),Feature (Name:Value:Position:Customized),Attribute (Name:Type:Position)*,
    Value (Value:Position)*`,
};

const UNITS = [
  [";", ",", " ", "|", ":", "/", "<", "&", "(", "[", "{", "=", "1", "0", "a", "A", "-", ".", ">", "é", "@"],
  [
    "; ",
    ", ",
    " ;",
    "<a ",
    "<p>",
    "&amp",
    "&#",
    "a;",
    "a,",
    "a ",
    "a=",
    "a:b,",
    "1,",
    "1 ",
    ".jpg?",
    ".jpg;",
  ],
  [
    "//",
    "//a;",
    "//a ",
    "http://a,",
    "[a]",
    "Type=a|Name=",
    "<!--",
    "</",
    "a:1:1,",
    "' ",
    "Aa",
    "a_",
    "][",
    ")(",
  ],
].flat();

const SIZE = 6_000;
const MAX_EXPONENT = 1.6;
/**
 * Read first: most rows are read so fast, or take so little longer than a quarter of them, that nothing more is
 * measured.
 */
const SHORT = 8_000;
const SUSPECT_MS = 20;
const SUSPECT_GROWTH = 3.3;

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const columns = (list: string) => list.split(",").map((name) => name.trim());

type Timed = (size: number) => Promise<number>;

/** The least of three: garbage collection only ever adds to it. */
async function best(timed: Timed, size: number): Promise<number> {
  return Math.min(await timed(size), await timed(size), await timed(size));
}

async function isSuspect(timed: Timed): Promise<boolean> {
  const short = await timed(SHORT);
  if (short < SUSPECT_MS) return false;
  const quarter = Math.min(await timed(SHORT / 4), await timed(SHORT / 4));
  return short > SUSPECT_GROWTH * quarter;
}

async function exponent(timed: Timed): Promise<number> {
  return Math.log((await best(timed, 4 * SIZE)) / (await best(timed, SIZE))) / Math.log(4);
}

/** A busy machine may disturb one measurement, hardly three. */
async function isSlow(timed: Timed): Promise<boolean> {
  for (let i = 0; i < 3; i += 1) if (!(await isSuspect(timed))) return false;
  for (let i = 0; i < 3; i += 1) if ((await exponent(timed)) < MAX_EXPONENT) return false;
  return true;
}

function reader(dir: string): (text: string) => Promise<number> {
  const { write, read } = offlineFeed(dir);
  return async (text) => {
    await write(text);
    const began = process.cpuUsage();
    await read().catch(() => undefined);
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  };
}

for (const [dialect, header] of Object.entries(HEADERS)) {
  test(`a long cell takes about linear time in every column of a ${dialect} file`, async () => {
    await using dir = await tempDir();
    const read = reader(dir.path);
    const names = columns(header);
    const slow: string[] = [];
    for (const unit of UNITS) {
      const timed: Timed = async (size) => {
        const cell = quoted(`${unit.repeat(Math.ceil(size / unit.length))}\u0001`);
        return read(`${names.map(quoted).join(",")}\n${names.map(() => cell).join(",")}\n`);
      };
      if (await isSlow(timed)) slow.push(unit);
    }
    assert.deepEqual(slow, []);
  });
}

test("a long column name takes about linear time", async () => {
  await using dir = await tempDir();
  const read = reader(dir.path);
  const slow: string[] = [];
  for (const unit of UNITS) {
    const timed: Timed = async (size) =>
      read(`id,title,${quoted(`a${unit.repeat(Math.ceil(size / unit.length))}\u0001`)}\n1,Mug,x\n`);
    if (await isSlow(timed)) slow.push(unit);
  }
  assert.deepEqual(slow, []);
});
