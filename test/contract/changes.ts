/** Sudden changes of a catalog between two syncs, as a table: a name, and the rows that follow the plain ones. */
import type { Row } from "./catalogs.ts";

type Rows = readonly Row[];
type Change = { readonly name: string; readonly apply: (rows: Rows) => Rows };

const each = (name: string, edit: (row: Row, index: number) => Partial<Row>): Change => ({
  name,
  apply: (rows) => rows.map((row, index) => ({ ...row, ...edit(row, index) })),
});

/** Rows at even positions stay, so that one row is always left. */
const everySecond = (name: string, edit: Partial<Row>): Change =>
  each(name, (_row, index) => (index % 2 === 1 ? edit : {}));

const priced = (price: string, factor: number): string => {
  const [amount = "", currency = ""] = price.split(" ");
  return `${(Number(amount) * factor).toFixed(2)} ${currency}`;
};

const TITLE_WORDS =
  "hand made in a small workshop by the lake from clay of the region and fired twice ".repeat(6);

export const CHANGES: readonly Change[] = [
  each("prices × 10", ({ price }) => ({ price: priced(price, 10) })),
  each("prices × 100", ({ price }) => ({ price: priced(price, 100) })),
  each("prices ÷ 10", ({ price }) => ({ price: priced(price, 0.1) })),
  each("prices are zero", () => ({ price: "0.00 USD" })),
  each("prices are one cent", () => ({ price: "0.01 USD" })),
  each("prices are 999,999.99", () => ({ price: "999999.99 USD" })),
  each("prices are all equal", () => ({ price: "20.00 USD" })),
  each("the currency changed", ({ price }) => ({ price: price.replace("USD", "EUR") })),
  each("every second price is in another currency", ({ price }, index) => ({
    price: index % 2 === 1 ? price.replace("USD", "EUR") : price,
  })),
  each("prices name no currency", ({ price }) => ({ price: price.replace(" USD", "") })),
  each("the currency has no decimals", (_row, index) => ({ price: `${1500 + index} JPY` })),
  each("prices are gone", () => ({ price: "" })),
  everySecond("every second price is gone", { price: "" }),
  each("titles replaced", (_row, index) => ({ title: `Replacement ${index + 1}` })),
  each("titles are gone", () => ({ title: "" })),
  everySecond("every second title is gone", { title: "" }),
  each("titles with quotes", ({ title }) => ({ title: `"${title}" 12" 'plate'` })),
  each("titles with tabs and line breaks", ({ title }) => ({
    title: title.replace(" ", "\t").replace(",", ",\n"),
  })),
  each("titles with emoji", ({ title }) => ({ title: `☕🎁 ${title} 👩‍👩‍👧` })),
  each("titles in other scripts", ({ title }) => ({ title: `陶器のマグカップ кружка ${title}` })),
  each("titles with 500 characters", ({ title }) => ({ title: `${title} ${TITLE_WORDS}`.trim() })),
  each("titles of one letter", (_row, index) => ({ title: String.fromCharCode(65 + (index % 26)) })),
  each("titles all equal", () => ({ title: "Mug" })),
  each('titles are "test"', () => ({ title: "test" })),
  each('titles are "TBD"', () => ({ title: "TBD" })),
  each("titles begin like formulas", ({ title }) => ({ title: `=1+1 ${title}` })),
  each("images replaced", (_row, index) => ({ image_link: `https://cdn.example/new/${index}.png` })),
  each("images are gone", () => ({ image_link: "" })),
  each("descriptions replaced", () => ({
    description: "Another text about the same thing, and nothing else.",
  })),
  each("descriptions are gone", () => ({ description: "" })),
  each("links replaced", (_row, index) => ({ link: `https://shop.example/new/${index}?ref=feed` })),
  each("links are gone", () => ({ link: "" })),
  each("hosts replaced", ({ link, image_link: image }) => ({
    link: link.replace("shop.example", "store.example"),
    image_link: image.replace("shop.example", "store.example"),
  })),
  each("brands are gone", () => ({ brand: "" })),
  each("GTINs with a wrong check digit", ({ gtin }) => ({
    gtin: `${gtin.slice(0, -1)}${(Number(gtin.at(-1)) + 1) % 10}`,
  })),
  each("availability flipped", ({ availability }) => ({
    availability: availability === "in_stock" ? "out_of_stock" : "in_stock",
  })),
  each("availability is gone", () => ({ availability: "" })),
  each("all ids new", ({ id }) => ({ id: `new-${id}` })),
  each("ids with spaces", ({ id }) => ({ id: `the ${id} item` })),
  each("ids with slashes", ({ id }) => ({ id: `a/b/${id}/` })),
  each("ids with other scripts", ({ id }) => ({ id: `カップ-ø-${id}` })),
  each("ids with 100 characters", ({ id }) => ({ id: id.padEnd(100, "x") })),
  each("ids in upper case", ({ id }) => ({ id: id.toUpperCase() })),
  { name: "half removed", apply: (rows) => rows.slice(0, Math.ceil(rows.length / 2)) },
  { name: "all but one removed", apply: (rows) => rows.slice(0, 1) },
  { name: "all removed", apply: () => [] },
  {
    name: "one more",
    apply: (rows) => [
      ...rows,
      ...rows.slice(0, 1).map((row) => ({ ...row, id: "one-more", title: "One more" })),
    ],
  },
  {
    name: "doubled",
    apply: (rows) => [...rows, ...rows.map((row) => ({ ...row, id: `copy-of-${row.id}` }))],
  },
  { name: "every row twice", apply: (rows) => rows.flatMap((row) => [row, row]) },
  { name: "order reversed", apply: (rows) => rows.toReversed() },
  { name: "nothing changed", apply: (rows) => rows },
  each("everything but the ids changed", (_row, index) => ({
    title: `Other thing ${index}`,
    price: `${index + 1}.00 EUR`,
    link: `https://other.example/${index}`,
    description: "Something else altogether.",
    brand: "Other",
    image_link: `https://other.example/${index}.webp`,
    availability: "preorder",
    condition: "used",
    gtin: "",
  })),
];
