/** Small files in every format and packing that a feed URL may have, each with one irregularity. */
import { gzipSync, zstdCompressSync } from "node:zlib";
import { zipOf } from "./fakes/zip.ts";

export type SampleFile = {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
  /** As of a feed URL. */
  readonly settings?: Readonly<Record<string, string>>;
};

const ROWS = [
  ["id", "title", "link", "image_link", "price", "availability", "Shelf"],
  ["m-1", "Blue mug", "https://shop.example/1", "https://shop.example/1.jpg", "9.50 USD", "in stock", "A"],
  ["m-2", "Crème cup", "/p/2", "https://shop.example/2.jpg", "12.00 USD", "out of stock", "B"],
  ["m-3", "No price", "https://shop.example/3", "", "", "in stock", ""],
  ["m-1", "Blue mug again", "https://shop.example/1", "", "9.50 USD", "in stock", ""],
];
const table = (delimiter: string): string => ROWS.map((row) => `${row.join(delimiter)}\n`).join("");
const [HEADER = [], ...BODY] = ROWS;
const PRODUCTS = BODY.map((row) =>
  Object.fromEntries(row.flatMap((cell, i) => (cell === "" ? [] : [[HEADER[i] ?? "", cell]]))),
);

const google = PRODUCTS.map(
  ({ id, title, link, image_link: image, price, availability }) =>
    `<item><g:id>${id}</g:id><title>${title}</title><link>${link}</link>${image ? `<g:image_link>${image}</g:image_link>` : ""}${price ? `<g:price>${price}</g:price>` : ""}<g:availability>${availability}</g:availability></item>`,
).join("\n");
const rss = `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>${google}</channel></rss>`;
const atom = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0">${google.replaceAll("item>", "entry>")}</feed>`;
const heureka = `<?xml version="1.0" encoding="utf-8"?><SHOP>${["1", "2"]
  .map(
    (id) =>
      `<SHOPITEM><ITEM_ID>h-${id}</ITEM_ID><PRODUCTNAME>Hrnek ${id}</PRODUCTNAME><DESCRIPTION>Modrý</DESCRIPTION><URL>https://shop.example/h/${id}</URL><IMGURL>https://shop.example/h/${id}.jpg</IMGURL><PRICE_VAT>129,50</PRICE_VAT><DELIVERY_DATE>0</DELIVERY_DATE></SHOPITEM>`,
  )
  .join("")}</SHOP>`;
const shopify = `Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price,Variant Compare At Price,Variant Barcode,Image Src,Image Position,Status
polo,Polo shirt,<p>Cotton</p>,Acme,Shirts,a,TRUE,Color,Red,P-R,200,shopify,3,deny,19.90,25.00,,https://c.example/1.jpg,1,active
polo,,,,,,,,Blue,,210,shopify,0,continue,19.90,,,https://c.example/2.jpg,2,
mug,Mug,,Acme,Cups,,TRUE,Title,Default Title,MUG,0,,,deny,5.00,,,https://c.example/mug.jpg,1,draft
`;
const woocommerce = `ID,Type,SKU,Name,Published,"In stock?",Stock,"Regular price","Sale price",Categories,Images,Parent,"Attribute 1 name","Attribute 1 value(s)"
10,variable,SHIRT,Shirt,1,1,,,,Shirts,https://c.example/s.jpg,,Size,"S, M"
12,variation,SHIRT-M,Shirt - M,1,1,4,20,,,,SHIRT,Size,M
13,simple,MUG,Mug,1,0,0,5,4,Cups,https://c.example/m.jpg,,,
`;
const magento = `sku,store_view_code,attribute_set_code,product_type,categories,name,price,url_key,visibility,product_online,qty,is_in_stock,base_image,additional_attributes
MUG,,Default,simple,Default Category/Cups,Mug,5.0000,mug,"Catalog, Search",1,3,1,/m/u/mug.jpg,color=Blue
CUP,,Default,simple,Default Category/Cups,Cup,6.5000,cup,"Catalog, Search",1,0,0,/c/u/cup.jpg,
`;
const shopifyJson = JSON.stringify({
  products: [
    {
      id: 7,
      title: "Polo",
      handle: "polo",
      body_html: "<p>Cotton</p>",
      vendor: "Acme",
      options: [{ name: "Color", values: ["Red", "Blue"] }],
      images: [{ src: "https://c.example/1.jpg" }],
      variants: [
        { id: 71, title: "Red", option1: "Red", sku: "P-R", price: "19.90", available: true, grams: 200 },
        { id: 72, title: "Blue", option1: "Blue", sku: "P-B", price: "19.90", available: false, grams: 0 },
      ],
    },
  ],
});

const file = (name: string, type: string, text: string | Buffer): SampleFile => ({
  name,
  type,
  bytes: Buffer.from(text as string),
});

export const csvFile = file("shop.csv", "text/csv", table(","));
const lines = PRODUCTS.map((product) => `${JSON.stringify(product)}\n`).join("");

const TEXT_FILES: readonly SampleFile[] = [
  csvFile,
  file("semicolons.csv", "text/csv", table(";").replaceAll(".50 USD", ",50 USD")),
  file("latin1.csv", "text/csv; charset=iso-8859-1", Buffer.from(table(","), "latin1")),
  file("utf16.csv", "application/vnd.ms-excel", Buffer.from(`\uFEFF${table("\t")}`, "utf16le")),
  file("shop.tsv", "text/tab-separated-values", table("\t")),
  file("shop.txt", "text/plain", table("|")),
  file("google.xml", "application/xml", rss),
  file("atom.xml", "application/atom+xml", atom),
  file("heureka.xml", "text/xml", heureka),
  file("shopify.csv", "text/csv", shopify),
  { ...file("store.csv", "text/csv", shopify), settings: { store_url: "https://other.example/" } },
  file("woocommerce.csv", "text/csv", woocommerce),
  {
    ...file("magento.csv", "text/csv", magento),
    settings: { link_template: "https://shop.example/{url_key}.html" },
  },
  {
    ...file("german.csv", "text/csv", "Nr;Bez;Seite;Preis\n1;Tasse;https://shop.example/t;9,50\n"),
    settings: { columns: "Nr = id; Bez = title; Seite = link" },
  },
  file("list.json", "application/octet-stream", JSON.stringify(PRODUCTS)),
  file("products.json", "application/octet-stream", shopifyJson),
  {
    ...file("deep.json", "application/json", JSON.stringify({ data: { shop: { items: PRODUCTS } } })),
    settings: { format: "json" },
  },
  file("lines.jsonl", "application/octet-stream", lines),
];

export const SAMPLE_FILES: readonly SampleFile[] = [
  ...TEXT_FILES,
  file("shop.csv.gz", "application/gzip", gzipSync(csvFile.bytes)),
  file("twice.csv.gz", "application/x-gzip", gzipSync(gzipSync(csvFile.bytes))),
  file("shop.csv.zst", "application/zstd", zstdCompressSync(csvFile.bytes)),
  file("shop.zip", "application/zip", zipOf({ "shop.csv": csvFile.bytes })),
  file("google.xml.gz", "application/octet-stream", gzipSync(rss)),
  file("lines.jsonl.gz", "application/gzip", gzipSync(lines)),
  file("list.zip", "application/x-zip-compressed", zipOf({ "list.json": JSON.stringify(PRODUCTS) })),
];
