/** The feed of a shop for crockery: a few hundred items with variants, and the faults that real feeds have. */

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

const COLUMNS =
  "id,item_group_id,title,description,link,image_link,availability,price,brand,gtin,condition,product_type,color,size";

const quoted = (cells: readonly string[]): string =>
  cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",");

/** 240 rows: 12 without a brand, 6 without an image, 4 with an id that Google does not take, 3 without a price. */
export function crockery({
  discount = 1,
  without = 0,
}: {
  discount?: number;
  without?: number;
} = {}): string {
  const rows = KINDS.flatMap(([kind, category, price], k) =>
    COLORS.flatMap((color, c) =>
      SIZES.map((size, s) => {
        const number = (k * COLORS.length + c) * SIZES.length + s;
        const id = `KC-${String(1001 + number)}`;
        const isLong = number % 60 === 7;
        return quoted([
          isLong ? `${id}-${"imported-from-the-old-shop-".repeat(2)}` : id,
          `KC-${kind.split(" ")[0]?.toLowerCase()}-${color.toLowerCase().replace(" ", "-")}`,
          `${kind} in ${color.toLowerCase()}, ${size.toLowerCase()}`,
          `${kind} from a small pottery in Devon, glazed by hand in ${color.toLowerCase()}. Safe in the dishwasher and the microwave.\n\nSize: ${size.toLowerCase()}, "seconds" excluded.`,
          `https://kiln.example/products/${id.toLowerCase()}`,
          number % 40 === 11 ? "" : `https://cdn.kiln.example/${id.toLowerCase()}.jpg`,
          number % 9 === 4 ? "out_of_stock" : "in_stock",
          number % 80 === 19 ? "" : `${(price * (1 + s / 4) * discount).toFixed(2)} USD`,
          number % 20 === 3 ? "" : (BRANDS[k % BRANDS.length] ?? ""),
          "",
          "new",
          category,
          color,
          size,
        ]);
      }),
    ),
  );
  return [COLUMNS, ...rows.slice(without)].map((line) => `${line}\n`).join("");
}
