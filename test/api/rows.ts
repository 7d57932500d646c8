/** Feeds as shops write them: rows that are valid in all four formats, and rows that are rejected. */

export type Row = {
  readonly id: string;
  readonly title?: string;
  readonly link?: string;
  readonly price?: string;
};

const COLUMNS = "id,title,description,link,image_link,availability,price,brand,condition";

export function csv(rows: readonly Row[]): string {
  return [COLUMNS, ...rows.map(line)].map((text) => `${text}\n`).join("");
}

function line({ id, title = `Mug ${id}`, link = `https://shop.example/p/${id}`, price = "9.50 USD" }: Row) {
  const image = `https://shop.example/img/${id}.jpg`;
  return [id, title, `A mug, number ${id}.`, link, image, "in_stock", price, "Kiln", "new"]
    .map((cell) => `"${cell}"`)
    .join(",");
}

/**
 * Valid rows with the ids `mug-001` and so on. The first ten have one price: one price for more items would be
 * reported.
 */
export function mugs(count: number): readonly Row[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `mug-${String(index + 1).padStart(3, "0")}`,
    ...(index >= 10 && { price: `${(9.5 + (index - 10) / 100).toFixed(2)} USD` }),
  }));
}
