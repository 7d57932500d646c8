/** A feed as a small shop has it: candles and ceramics in variants, with brands and images. */
import type { Row } from "../fakes/shop.ts";
import { gtinOf } from "./stock.ts";

const THINGS = [
  ["Stoneware mug", "Kitchen > Drinkware", "24.00"],
  ["Linen tea towel", "Kitchen > Textiles", "14.50"],
  ["Beeswax candle", "Living > Candles", "9.90"],
  ["Oak serving board", "Kitchen > Boards", "49.00"],
  ["Wool throw", "Living > Textiles", "119.00"],
  ["Enamel pot", "Kitchen > Cookware", "64.00"],
  ["Glass carafe", "Kitchen > Drinkware", "32.00"],
  ["Ceramic vase", "Living > Vases", "38.00"],
] as const;
const COLORS = ["Sand", "Slate", "Moss", "Clay", "Ink"] as const;
const BRANDS = ["Kiln & Co.", "Nordhaus", "Fjellvev"] as const;

/** Products that every feed takes. */
export function products(count: number): readonly Row[] {
  return Array.from({ length: count }, (_, index) => {
    const [name, type, price] = THINGS[Math.floor(index / COLORS.length) % THINGS.length] ?? THINGS[0];
    const color = COLORS[index % COLORS.length] ?? "Sand";
    const series = 1 + Math.floor(index / (THINGS.length * COLORS.length));
    const group = `${name.toLowerCase().replaceAll(" ", "-")}-${series}`;
    const id = `${group}-${color.toLowerCase()}`;
    return {
      id,
      title: `${name} No. ${series}, ${color}`,
      description: `${name} of our series ${series} in the color ${color}. Made in small batches, for every day.`,
      link: `https://kiln.example/products/${group}?color=${color.toLowerCase()}`,
      image_link: `https://kiln.example/images/${id}.jpg`,
      additional_image_link: `https://kiln.example/images/${id}-side.jpg`,
      availability: index % 7 === 6 ? "out_of_stock" : "in_stock",
      price: `${price} EUR`,
      brand: BRANDS[index % BRANDS.length] ?? "",
      gtin: gtinOf(index),
      item_group_id: group,
      color,
      condition: "new",
      product_type: type,
    };
  });
}

/** Products as they go wrong in real exports: rejected ones, and ones with warnings. */
export function faultyProducts(): readonly Row[] {
  return products(60).map((product, index) => {
    const id = `old-${product["id"]}`;
    if (index < 9) return { ...product, id, price: "" };
    if (index < 15) return { ...product, id, link: "products/old" };
    if (index < 18) return { ...product, id, title: "" };
    if (index < 40) return { ...product, id, gtin: "4006381333932" };
    if (index < 50) return { ...product, id, availability: "ask us" };
    return { ...product, id, image_link: "kiln.example/images", additional_image_link: "" };
  });
}
