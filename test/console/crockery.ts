/** The feed of a shop for crockery: a few hundred items with variants, and the faults that real feeds have. */
import type { Row } from "../fakes/shop.ts";

const KINDS = [
  ["Stoneware mug", "Kitchen > Mugs", 14.5],
  ["Dinner plate", "Kitchen > Plates", 22],
  ["Serving bowl", "Kitchen > Bowls", 34.9],
  ["Teapot with warmer", "Kitchen > Teapots", 59],
  ["Espresso cup", "Kitchen > Cups", 11],
  ["Oven dish, 28 cm", "Kitchen > Bakeware", 44.5],
  ["Milk jug", "Kitchen > Jugs", 19],
  ["Cake stand", "Kitchen > Serving", 49],
] as const;
const COLORS = ["Chalk", "Slate blue", "Ochre", "Moss", "Terracotta", "Black"] as const;
const SIZES = ["Small", "Medium", "Large", "Set of 4", "Set of 6"] as const;
const BRANDS = ["Kiln & Co.", "Nordlys", "Atelier Brun", "Hearth"] as const;

/** 240 rows: 12 without a brand, 6 without an image, 4 with an id that Google does not take, 3 without a price. */
export function crockery({
  discount = 1,
  without = 0,
}: {
  discount?: number;
  without?: number;
} = {}): readonly Row[] {
  const rows = KINDS.flatMap(([kind, category, price], k) =>
    COLORS.flatMap((color, c) =>
      SIZES.map((size, s) => {
        const number = (k * COLORS.length + c) * SIZES.length + s;
        const id = `KC-${String(1001 + number)}`;
        const isLong = number % 60 === 7;
        return {
          id: isLong ? `${id}-${"imported-from-the-old-shop-".repeat(2)}` : id,
          item_group_id: `KC-${kind.split(" ")[0]?.toLowerCase()}-${color.toLowerCase().replace(" ", "-")}`,
          title: `${kind} in ${color.toLowerCase()}, ${size.toLowerCase()}`,
          description: `${kind} from a small pottery in Devon, glazed by hand in ${color.toLowerCase()}. Safe in the dishwasher and the microwave.\n\nSize: ${size.toLowerCase()}, "seconds" excluded.`,
          link: `https://kiln.example/products/${id.toLowerCase()}`,
          image_link: number % 40 === 11 ? "" : `https://cdn.kiln.example/${id.toLowerCase()}.jpg`,
          availability: number % 9 === 4 ? "out_of_stock" : "in_stock",
          price: number % 80 === 19 ? "" : `${(price * (1 + s / 4) * discount).toFixed(2)} USD`,
          brand: number % 20 === 3 ? "" : (BRANDS[k % BRANDS.length] ?? ""),
          condition: "new",
          product_type: category,
          color,
          size,
        };
      }),
    ),
  );
  return rows.slice(without);
}
