/** The feed of a shop for outdoor goods, with the faults that real ones have. The same number gives the same rows. */
import type { Row } from "../fakes/shop.ts";
import { gtinOf } from "./stock.ts";

const BRANDS = ["Alpenruf", "Northhollow", "Ferro & Pine", "Känguru Outdoor", "Windhag"] as const;
const KINDS = [
  { name: "Insulated Steel Bottle", category: "Home & Garden > Kitchen & Dining", price: 24.9 },
  { name: "Two-Person Trekking Tent", category: "Sporting Goods > Outdoor Recreation", price: 279 },
  { name: "Merino Base Layer", category: "Apparel & Accessories > Clothing", price: 69.95 },
  { name: "Folding Camp Stove", category: "Sporting Goods > Outdoor Recreation", price: 54.5 },
  { name: "Waterproof Dry Bag", category: "Sporting Goods > Outdoor Recreation", price: 19 },
  { name: "LED Head Lamp", category: "Hardware > Tools", price: 39.9 },
] as const;
const COLORS = ["Moss", "Slate", "Rust", "Sand"] as const;

const pick = <T>(list: readonly T[], at: number): T => list[at % list.length] as T;

/** A good row; every fourth is a variant of the same product. */
export function outdoorRow(at: number) {
  const product = Math.floor(at / 4);
  const kind = pick(KINDS, product);
  const brand = pick(BRANDS, product);
  const color = pick(COLORS, at);
  const id = `${kind.name.replace(/[^A-Z]/g, "")}-${String(1000 + at)}`;
  const model = 200 + product;
  return {
    id,
    title: `${brand} ${kind.name} ${model}, ${color}`,
    description: `The ${kind.name.toLowerCase()} ${model} by ${brand} in ${color.toLowerCase()} is made for long days outside: light enough to carry, tough enough for years of use, and easy to repair. Every part can be replaced with a screwdriver. Packed without plastic, with a guarantee of five years on material and seams.`,
    link: `https://shop.example/p/${id}`,
    image_link: `https://shop.example/img/${id}-front.jpg`,
    additional_image_link: `https://shop.example/img/${id}-side.jpg,https://shop.example/img/${id}-detail.jpg`,
    availability: at % 9 === 0 ? "out_of_stock" : "in_stock",
    price: `${(kind.price + (at % 7)).toFixed(2)} USD`,
    sale_price: at % 11 === 0 ? `${(kind.price * 0.8).toFixed(2)} USD` : "",
    brand,
    gtin: gtinOf(100_000 + at),
    mpn: `${brand.slice(0, 2).toUpperCase()}-${model}-${color.slice(0, 2).toUpperCase()}`,
    condition: "new",
    google_product_category: kind.category,
    product_type: `Outdoor > ${kind.name}`,
    color,
    size: kind.name.startsWith("Merino") ? pick(["S", "M", "L", "XL"], at) : "",
    item_group_id: `P-${model}`,
  };
}

/** Rows of a shop that has work to do: missing brands, short texts, missing codes, and rows without a price. */
export function outdoorRows(count: number): Row[] {
  return Array.from({ length: count }, (_, at) => {
    const row = outdoorRow(at);
    return {
      ...row,
      ...(at % 12 === 5 && { brand: "", mpn: "" }),
      ...(at % 5 === 2 && { gtin: "", mpn: "" }),
      ...(at % 6 === 1 && { description: row.title }),
      ...(at % 8 === 3 && { additional_image_link: "" }),
      ...(at % 60 === 7 && { price: "on request" }),
      ...(at % 50 === 9 && { image_link: "", additional_image_link: "" }),
      ...(at % 40 === 11 && { title: `SALE!!! ${row.title.toUpperCase()}` }),
    };
  });
}
