/** 48 products of an invented shop, from which the calibration catalogs are made. */
import type { Item } from "../catalog/item.ts";
import { type Patch, patched } from "./perfect.fixture.ts";

const KINDS = "Lamp,Chair,Basket,Kettle,Blanket,Clock,Vase,Mirror,Shelf,Cushion,Candle,Teapot".split(",");
const STYLES = "Nordic,Harbor,Meadow,Alpine".split(",");
const MATERIALS = ["oak", "brass", "stoneware", "linen"];
const COLORS = ["Sand", "Moss", "Slate", "Rust"];

type Product = {
  readonly at: number;
  readonly name: string;
  readonly material: string;
  readonly color: string;
};

export const PRODUCTS: readonly Product[] = STYLES.flatMap((style, s) =>
  KINDS.map((kind, k) => ({
    at: s * KINDS.length + k,
    name: `${style} ${kind}`,
    material: MATERIALS[(s + k) % 4] ?? "oak",
    color: COLORS[(s * k) % 4] ?? "Sand",
  })),
);

const SENTENCES = ({ name, material, color, at }: Product): readonly string[] => [
  `The ${name} is made of ${material} and finished by hand in a shade that we call ${color.toLowerCase()}.`,
  `It measures ${20 + at} by ${12 + at} centimeters and weighs ${400 + 30 * at} grams.`,
  "It fits small rooms as well as large ones, and is easily cleaned with a damp cloth.",
  "Spare parts are available for ten years, and every piece is checked before it leaves the workshop.",
];
export const text = (product: Product, sentences: number): string =>
  SENTENCES(product).slice(0, sentences).join(" ");

/** Makes a unique number with a valid check digit. */
export function gtin(prefix: string, at: number): string {
  const digits = prefix + String(at).padStart(12 - prefix.length, "0");
  const sum = Array.from(digits).reduce(
    (total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3),
    0,
  );
  return digits + String((10 - (sum % 10)) % 10);
}

export const images = (at: number, count: number): readonly [string, ...string[]] => {
  const image = (view: number) => `https://cdn.shop.example/p/${at}-${view}.jpg`;
  return [image(1), ...Array.from({ length: count - 1 }, (_, i) => image(i + 2))];
};

/** Makes an item without findings. */
function complete(product: Product): Item {
  const { at, name, material, color } = product;
  return {
    id: `P-${1000 + at}`,
    title: `Fjord ${name} of ${material}, ${color.toLowerCase()}`,
    description: text(product, 4),
    link: `https://shop.example/products/${name.toLowerCase().replace(" ", "-")}`,
    images: images(at, 4),
    price: { amount: `${19 + 3 * at}.00`, currency: "EUR" },
    availability: "in_stock",
    quantity: 4 + (at % 9),
    condition: "new",
    brand: "Fjord",
    gtin: gtin("4006381", at),
    googleCategory: "696",
    categories: [["Home", "Decor"]],
    color,
    material,
    weight: { value: String(400 + 30 * at), unit: "g" },
    details: [{ name: "Care", value: "Damp cloth" }],
    highlights: ["Finished by hand", "Spare parts for ten years"],
    shipping: [{ country: "DE", service: "Standard", price: { amount: "4.90", currency: "EUR" } }],
  };
}

export const changed = (change: (product: Product) => Patch): readonly Item[] =>
  PRODUCTS.map((product) => patched(complete(product), change(product)));

/** Fields that exports of shop systems often lack. */
export const PLAIN = {
  gtin: undefined,
  googleCategory: undefined,
  color: undefined,
  material: undefined,
  details: undefined,
  highlights: undefined,
  shipping: undefined,
} as const satisfies Patch;
