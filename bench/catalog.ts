/**
 * A generated shop with the same bytes every time: products with variants, texts with commas, quotes, accents and some
 * markup, in Google's columns, about 1.1 kB per item. Every item is valid. Ids are not sorted, as in real shops: sorted
 * ids would make index writes too cheap.
 */
import { randomness, type Randomness } from "./randomness.ts";
import {
  ADJECTIVES,
  BRANDS,
  CARE,
  COLORS,
  DEPARTMENTS,
  FEATURES,
  MATERIALS,
  OPENINGS,
  SIZES,
} from "./words.ts";

/**
 * `first`: the first version. `blank_column`: other bytes, the same items. `changed`: 1 % have another price and stock.
 */
export const EDITIONS = ["first", "blank_column", "changed"] as const;
/** Like `changed`, with more and more items; what one of them has changed the next one has too. */
export const SHARES = ["changed_thousandth", "changed", "changed_tenth", "changed_all"] as const;
export type Edition = (typeof EDITIONS)[number] | (typeof SHARES)[number];

export const CHANGED_EVERY = 100;
const EVERY: Partial<Record<Edition, number>> = {
  changed_thousandth: 1_000,
  changed: CHANGED_EVERY,
  changed_tenth: 10,
  changed_all: 1,
};

const COLUMNS = [
  "id",
  "title",
  "description",
  "link",
  "image_link",
  "additional_image_link",
  "availability",
  "price",
  "sale_price",
  "brand",
  "gtin",
  "mpn",
  "condition",
  "google_product_category",
  "product_type",
  "item_group_id",
  "color",
  "size",
  "material",
  "gender",
  "age_group",
  "shipping",
  "shipping_weight",
  "quantity",
] as const;

type Row = Record<(typeof COLUMNS)[number], string>;

const CHUNK_CHARS = 64 * 1024;

/** The text of the file in chunks, header first. */
export function* catalogCsv(items: number, edition: Edition): Generator<string, void, void> {
  const hasBlankColumn = edition === "blank_column";
  const every = EVERY[edition];
  let text = `${[...COLUMNS, ...(hasBlankColumn ? ["custom_label_4"] : [])].join(",")}\n`;
  let position = 0;
  for (const row of rows(items)) {
    const isChanged = every !== undefined && position % every === 0;
    text += line(isChanged ? { ...row, ...repriced(row) } : row, hasBlankColumn);
    position += 1;
    if (text.length >= CHUNK_CHARS) {
      yield text;
      text = "";
    }
  }
  yield text;
}

function line(row: Row, hasBlankColumn: boolean): string {
  const cells = COLUMNS.map((column) => quoted(row[column]));
  return `${cells.join(",")}${hasBlankColumn ? "," : ""}\n`;
}

function quoted(cell: string): string {
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function repriced({ price, quantity }: Row): Pick<Row, "price" | "quantity"> {
  return { price: price.replace(/\.\d\d/, ".49"), quantity: String(Number(quantity) + 1) };
}

function* rows(items: number): Generator<Row, void, void> {
  let made = 0;
  for (let product = 1; made < items; product += 1) {
    for (const row of variants(product)) {
      if (made === items) return;
      yield row;
      made += 1;
    }
  }
}

function* variants(number: number): Generator<Row, void, void> {
  const random = randomness(number);
  const product = productOf(number, random);
  const colors = random.some(COLORS, 1, 4);
  const sizes = random.chance(0.6) ? random.some(SIZES, 2, 5) : [""];
  let index = 0;
  for (const color of colors) {
    for (const size of sizes) {
      yield variantOf(product, { color, size, index }, random);
      index += 1;
    }
  }
}

type Product = {
  readonly code: string;
  readonly number: number;
  readonly title: string;
  readonly description: string;
  readonly cents: number;
  readonly slug: string;
  readonly shared: Pick<
    Row,
    "brand" | "google_product_category" | "product_type" | "material" | "gender" | "age_group" | "shipping"
  >;
};

/** A prime: multiplied modulo it, the numbers are shuffled and stay distinct. */
const CODES = 8_999_993;

function productOf(number: number, random: Randomness): Product {
  const department = random.one(DEPARTMENTS);
  const material = random.one(MATERIALS);
  const brand = random.one(BRANDS);
  const noun = random.one(department.nouns);
  const name = `${random.one(ADJECTIVES)} ${material} ${noun}`;
  return {
    code: String(1_000_000 + ((number * 5_562_301) % CODES)),
    number,
    title: `${brand} ${name}`,
    description: describe(name, random),
    cents: 990 + 10 * random.below(24_000),
    slug: `${name}-${number}`.toLowerCase().replace(/[^a-z0-9]+/g, "-"),
    shared: {
      brand,
      google_product_category: department.google,
      product_type: `${department.path} > ${noun}s`,
      material,
      gender: random.one(["male", "female", "unisex"]),
      age_group: "adult",
      shipping: `US::Standard:${4 + random.below(6)}.90 USD`,
    },
  };
}

function describe(name: string, random: Randomness): string {
  const sentences = [
    `${random.one(OPENINGS)} ${name}.`,
    ...random.some(FEATURES, 3, 4),
    ...random.some(CARE, 1, 2),
  ];
  // Some descriptions contain markup.
  return random.chance(0.05) ? `<p>${sentences.join("</p><p>")}</p>` : sentences.join(" ");
}

type Variant = { readonly color: string; readonly size: string; readonly index: number };

function variantOf(product: Product, { color, size, index }: Variant, random: Randomness): Row {
  const { code, number, slug, cents } = product;
  const mark = color.slice(0, 3).toUpperCase();
  const page = `https://shop.example/products/${slug}`;
  const image = `https://cdn.shop.example/files/${code}/${slug}-${mark.toLowerCase()}`;
  const quantity = random.chance(0.85) ? 1 + random.below(80) : 0;
  return {
    id: `SKU-${code}-${mark}-${String(index).padStart(2, "0")}`,
    title: [product.title, color, size].filter((part) => part !== "").join(", "),
    description: product.description,
    link: `${page}?variant=${number * 100 + index}&utm_source=feed&utm_medium=catalog`,
    image_link: `${image}-1.jpg?v=1726`,
    additional_image_link: [2, 3].map((view) => `${image}-${view}.jpg?v=1726`).join(","),
    availability: quantity > 0 ? "in_stock" : "out_of_stock",
    price: dollars(cents),
    sale_price: random.chance(0.15) ? dollars(Math.floor(cents * 0.8)) : "",
    gtin: random.chance(0.8) ? gtin13(number * 100 + index) : "",
    mpn: `${mark}${code}-${index}`,
    condition: "new",
    item_group_id: `GRP-${code}`,
    color,
    size,
    shipping_weight: `${(0.1 + random.below(300) / 100).toFixed(2)} kg`,
    quantity: String(quantity),
    ...product.shared,
  };
}

function dollars(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")} USD`;
}

/** A number of the GS1 prefix range of Sweden, with its check digit. */
function gtin13(serial: number): string {
  const digits = `731${String(serial).padStart(9, "0").slice(-9)}`;
  const sum = digits
    .split("")
    .reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
