/** Reads one row of the export of a system in the table (`systems.json`), without what the rows of a product share. */
import type { Draft } from "../../../catalog/draft.ts";
import { withImages } from "../../product-record/product-draft.ts";
import type { FileHeader, DialectRow } from "./dialect.ts";
import { defined, isYes, isYesOrAbsent, nonEmpty, parts, stockOf } from "./kit.ts";
import type { SystemDialect } from "./system-table.ts";

type OptionColumns = NonNullable<Draft["options"]>[number];

export type OptionNames = readonly (string | undefined)[];

export type RowReader = {
  readonly images: (row: DialectRow) => readonly string[];
  readonly draft: (row: DialectRow, optionNames: OptionNames) => Draft;
  readonly optionNames: (row: DialectRow) => OptionNames;
};

export function rowReader(system: SystemDialect, { names }: FileHeader): RowReader {
  const options = optionReader(system, names);
  const stock = stockReader(system, names);
  const listed = listReader(system.images, names);
  const images = (at: DialectRow["at"]): readonly string[] =>
    listed(at)
      .filter((image) => !image.startsWith("wix:video:"))
      .map((image) => addressOf(image, system.images?.base));
  const categories = listReader(system.categories, names);
  const currency = currencyIn(system, names);
  return {
    optionNames: options.names,
    images: ({ at }) => images(at),
    draft: (row, optionNames) => {
      const { at } = row;
      const mapped = row.readDraft();
      const draft: Draft = {
        ...defined({ currency }),
        ...withoutUnsureValues(mapped, system, at),
        ...defined({
          gtin: mapped.gtin ?? codeOf(system, at),
          link: mapped.link ?? textIn(system.link, at),
          condition: wordOf(system, mapped.condition),
          options: nonEmpty(options.read(row, optionNames, mapped)),
          categories: nonEmpty(categories(at).map(plainPath)),
          published: isOffSale(system, at) ? "hidden" : undefined,
        }),
        ...stock(at, mapped.quantity),
      };
      return withImages(draft, images(at));
    },
  };
}

const textIn = (column: string | undefined, at: DialectRow["at"]): string | undefined =>
  column === undefined ? undefined : at(column);

/** A list of SKUs is no SKU, and the sale price of what is not on sale is none. */
function withoutUnsureValues(
  mapped: Draft,
  { hasSkuLists, onSale }: SystemDialect,
  at: DialectRow["at"],
): Draft {
  const draft = { ...mapped };
  if (hasSkuLists === true && draft.sku?.includes(",") === true) delete draft.sku;
  if (onSale !== undefined && !isYes(at(onSale))) delete draft.salePrice;
  return draft;
}

function currencyIn({ headerCurrency }: SystemDialect, names: readonly string[]): string | undefined {
  if (headerCurrency === undefined) return undefined;
  const pattern = new RegExp(headerCurrency);
  return names.flatMap((name) => pattern.exec(name)?.[1] ?? [])[0]?.toUpperCase();
}

const NUMBERS = ["1", "2", "3", "4", "5", "6"];

function optionReader({ options = {} }: SystemDialect, names: readonly string[]) {
  const { numbers = NUMBERS, values = [], prefix, cell = "", fields = [], single } = options;
  const prefixed = prefix === undefined ? [] : names.filter((name) => name.startsWith(prefix));
  const numbered = ({ at }: DialectRow, optionNames: OptionNames): OptionColumns[] =>
    numbers.flatMap((number, index) =>
      named(optionNames[index], at(...values.map((column) => column.replace("#", number)))),
    );
  const inColumns = ({ at }: DialectRow): OptionColumns[] =>
    prefixed.flatMap((column) => named(words(column.slice(prefix?.length)), at(column)));
  const inFields = ({ color, size }: Draft): OptionColumns[] =>
    fields.flatMap((field) => named(words(field), field === "color" ? color : size));
  return {
    names: ({ at }: DialectRow): OptionNames =>
      numbers.map((number) => textIn(options.names?.replace("#", number), at)),
    read: (row: DialectRow, optionNames: OptionNames, mapped: Draft): OptionColumns[] => {
      const found = [
        ...numbered(row, optionNames),
        ...inColumns(row),
        ...pairsIn(row.at(cell)),
        ...inFields(mapped),
      ];
      const name = textIn(single, row.at);
      return found.length > 0 || /^regular$/i.test(name ?? "") ? found : named("Variation", name);
    },
  };
}

function named(name: string | undefined, value: string | undefined): OptionColumns[] {
  return name === undefined || value === undefined ? [] : [{ name, value: colorName(value) }];
}

/** `Size=S|Color=Red`. */
function pairsIn(cell: string | undefined): OptionColumns[] {
  return parts(cell, /[|;]/).flatMap((pair) => {
    const [name = "", value = ""] = pair.split(/=(.*)/s, 2).map((part) => part.trim());
    return name === "" || value === "" ? [] : [{ name, value }];
  });
}

/** The parts of all numbered columns, else those of the first column that has any. */
function listReader(
  list: SystemDialect["images"],
  names: readonly string[],
): (at: DialectRow["at"]) => readonly string[] {
  if (list === undefined) return () => [];
  const columns = namesLike(list.columns, names);
  const separator = new RegExp(list.separator);
  const isNumbered = list.columns.some((name) => name.includes("#"));
  return (at) => {
    const lists = columns.map((name) => parts(at(name), separator));
    return isNumbered ? lists.flat() : (lists.find((found) => found.length > 0) ?? []);
  };
}

/** Locations are added up. What the shop does not count is in stock. */
function stockReader(
  { tracked, quantities }: SystemDialect,
  names: readonly string[],
): (at: DialectRow["at"], quantity: string | undefined) => Draft {
  if (tracked === undefined && quantities === undefined) return () => ({});
  const pattern = quantities === undefined ? null : new RegExp(quantities);
  const locations = pattern === null ? null : names.filter((name) => pattern.test(name));
  return (at, quantity) => {
    const count = locations === null ? quantity : sumOf(locations.flatMap((name) => at(name) ?? []));
    const isTracked = tracked === undefined ? count !== undefined : isYes(at(tracked));
    const availability = stockOf({ isTracked, quantity: count, allowsBackorders: false });
    return { ...defined({ availability }), quantity: isTracked ? (count ?? "") : "" };
  };
}

function sumOf(texts: readonly string[]): string | undefined {
  const counts = texts.map(Number);
  if (counts.length === 0 || counts.some(Number.isNaN)) return undefined;
  return String(counts.reduce((sum, count) => sum + Math.max(count, 0), 0));
}

/** The columns of these names, in this order; `#` is a number, and numbered columns come in the order of the file. */
function namesLike(wanted: readonly string[], names: readonly string[]): string[] {
  return wanted.flatMap((name) => {
    const pattern = new RegExp(`^${name.replace("#", "_?\\d+")}$`);
    return names.filter((column) => pattern.test(column));
  });
}

function words(name: string): string {
  const text = name.replaceAll("_", " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `rgb(255, 0, 0):Red`, `#ff0000:Red`: a swatch and its name. */
function colorName(value: string): string {
  return /^(?:rgba?\([^)]*\)|#[\da-f]{3,8}):(.+)$/i.exec(value)?.[1]?.trim() ?? value;
}

/** `/kitchen/mugs`, `All / Kitchen / Mugs`: a path in the notation of the alias tables. */
function plainPath(path: string): string {
  return path.includes(">") ? path : parts(path, "/").join(" > ");
}

/** `wix:image://v1/a1~mv2.jpg/mug.jpg#originWidth=800` is the image `a1~mv2.jpg` of the system's own server. */
function addressOf(reference: string, base: string | undefined): string {
  const image = /^wix:image:\/\/v1\/([^/#]+)/.exec(reference)?.[1] ?? reference;
  return base === undefined || /^(?:https?:)?\/\//i.test(image) ? image : `${base}${image}`;
}

const CODE_TYPES = /^(?:1|2|3|4|ean|upc|gtin|isbn)$/i;

/** A code whose type may as well be the marketplace's own (ASIN). */
function codeOf({ gtin }: SystemDialect, at: DialectRow["at"]): string | undefined {
  const type = gtin === undefined ? undefined : at(gtin.type);
  // Amazon's reports number the types: 1 is an ASIN, 2 an ISBN, 3 a UPC, 4 an EAN.
  return gtin === undefined || type === undefined || type === "1" || !CODE_TYPES.test(type)
    ? undefined
    : at(gtin.column);
}

function wordOf({ words: meanings }: SystemDialect, condition: string | undefined): string | undefined {
  return condition === undefined ? undefined : (meanings?.["condition"]?.[condition] ?? condition);
}

function isOffSale({ visible = [], hidden = {} }: SystemDialect, at: DialectRow["at"]): boolean {
  return (
    visible.some((column) => !isYesOrAbsent(at(column))) ||
    Object.entries(hidden).some(([column, pattern]) => new RegExp(pattern, "i").test(at(column) ?? ""))
  );
}
