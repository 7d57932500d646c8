/** What the exports of shop systems have in common: stored prices, stock, lists in cells, counted omissions. */
import { counted } from "../../../lib/counted.ts";
import { roundHalfUp, scaled, unscaled } from "../../../catalog/decimal.ts";
import type { Draft, TextField } from "../../../catalog/draft.ts";
import type { WarningCode } from "../../../catalog/finding.ts";
import { YES_NO_WORDS } from "../../../catalog/vocabulary/traits.ts";
import { meaningOf } from "../../../catalog/words.ts";
import { FormatError } from "../../../lib/formats/format-error.ts";
import { dynamicColumns } from "../../product-record/dynamic-columns.ts";
import { shopLink } from "../../product-record/product-draft.ts";
import type { RecordResult } from "../../source.ts";

/** The draft without the fields that are undefined, so that spreading it overwrites nothing. */
export function defined(draft: { [F in keyof Draft]?: Draft[F] | undefined }): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined));
}

/**
 * Databases store prices finer than shops show them (`16.6667`). A price with more than three decimals is rounded half
 * up to two, as the shop systems read here do. Three digits may be thousands, so they are left to the price parser.
 */
function shownPrice(text: string | undefined): string | undefined {
  const [, whole = "", mark = "", fraction = ""] = /^(\d{1,12})([.,])(\d{4,20})$/.exec(text ?? "") ?? [];
  if (whole === "" || /^\d\d0*$/.test(fraction)) return text;
  return roundHalfUp(`${whole}.${fraction}`, 2).replace(".", mark);
}

/**
 * The price less an amount or a percentage, exactly, and rounded half up to two decimals. Where it cannot be computed,
 * both are written out, so that the check of prices refuses them and names them; undefined for a discount of zero.
 */
export function discounted(
  price: string,
  cut: { readonly percent: string } | { readonly amount: string },
): string | undefined {
  const text = "percent" in cut ? cut.percent.replace(/ ?%$/, "") : cut.amount;
  const [full, less] = [millionths(price), millionths(text)];
  if (less === 0n) return undefined;
  const rest =
    full === undefined || less === undefined
      ? 0n
      : full - ("percent" in cut ? (full * less) / 100_000_000n : less);
  const isCut = less !== undefined && less > 0n && rest > 0n;
  return isCut ? roundHalfUp(unscaled(rest, 6), 2) : refusedPrice(price, `less a discount of ${text}`);
}

/**
 * The price with a surcharge, which may be negative. Where it cannot be computed or nothing is left, both are written
 * out, so that the check of prices refuses them and names them: without the surcharge the price would be wrong.
 */
export function surcharged(price: string, surcharge: string, places: number): string {
  const [base, more] = [millionths(price), millionths(surcharge)];
  if (more === 0n) return base === undefined ? price : unscaled(base / 10n ** BigInt(6 - places), places);
  const sum = base === undefined || more === undefined ? 0n : base + more;
  return sum > 0n
    ? unscaled(sum / 10n ** BigInt(6 - places), places)
    : refusedPrice(price, `and a surcharge of ${surcharge}`);
}

/** A hyphen between two numbers would be read as a range of prices. */
export function refusedPrice(price: string, change: string): string {
  return `${price} ${change.replaceAll("-", "minus ")}`;
}

/** A number in units of 10^-6. A comma before three digits may separate thousands, so such a number is not read. */
function millionths(text: string): bigint | undefined {
  const [, sign = "", number = ""] = /^([+-]?) ?(.*)$/s.exec(text.trim()) ?? [];
  const amount = /,\d{3}$/.test(number) ? undefined : scaled(number.replace(",", "."), 6);
  return amount !== undefined && sign === "-" ? -amount : amount;
}

export function withShownPrices(draft: Draft): Draft {
  const { price, salePrice, listPrice } = draft;
  const shown = {
    price: shownPrice(price),
    salePrice: shownPrice(salePrice),
    listPrice: shownPrice(listPrice),
  };
  return { ...draft, ...defined(shown) };
}

export type StockFacts = {
  /** Whether the shop counts the item; what it does not count is in stock. */
  readonly isTracked: boolean;
  readonly quantity: string | undefined;
  /** The shop goes on selling what it does not have. */
  readonly allowsBackorders: boolean;
};

/** The availability in the words of feeds; undefined where the export does not give the quantity. */
export function stockOf({ isTracked, quantity, allowsBackorders }: StockFacts): string | undefined {
  if (!isTracked) return "in stock";
  if (quantity === undefined || Number.isNaN(Number(quantity))) return undefined;
  if (Number(quantity) > 0) return "in stock";
  return allowsBackorders ? "backorder" : "out of stock";
}

/** A quantity of zero with "in stock" only means that the shop does not count the item. */
export function withoutUntrackedQuantity(draft: Draft): Draft {
  const { quantity, ...rest } = draft;
  return draft.availability === "in stock" && Number(quantity) <= 0 ? rest : draft;
}

export function isYes(text: string | undefined): boolean {
  return text !== undefined && meaningOf(YES_NO_WORDS, text) === "yes";
}

export function isYesOrAbsent(text: string | undefined): boolean {
  return text === undefined || isYes(text);
}

/** The value of `published` where a switch of the product is off. */
export function disabledUnless(active: string | undefined): string | undefined {
  return isYesOrAbsent(active) ? undefined : "disabled";
}

export function nonEmpty<Part>(list: readonly Part[]): readonly Part[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** The parts of a list in one cell, without empty ones. */
export function parts(text: string | undefined, separator: string | RegExp): string[] {
  return (text ?? "")
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Images in one cell, separated by commas: a comma inside a file's name is not followed by a new address. */
export function imageParts(text: string | undefined): string[] {
  return parts(text, /,(?=\s*(?:\/|https?:))/i);
}

/** With a host of its own; other texts are paths in the shop or names of files. */
export function isFullAddress(text: string): boolean {
  return /^(?:https?:)?\/\//i.test(text);
}

/** The address by which a shop finds a product's page from its number; undefined for other ids. */
export function pageById(
  storeUrl: string | undefined,
  path: string,
  id: string | undefined,
): string | undefined {
  return id === undefined || !/^\d+$/.test(id) ? undefined : shopLink(storeUrl, `${path}${id}`);
}

/** A product whose rows are held until the next product begins, and are too many for that. */
export function tooManyRows(product: string, line: number): FormatError {
  return new FormatError(
    "too_large",
    `The product ${product} has more rows than are buffered for one product. Split it in the shop.`,
    { line },
  );
}

/** `test_color` as a person would write it: "Test color". */
export function humanized(code: string): string {
  const words = code.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Images that are names of files rather than addresses. */
export const fileNameImages = (): OmissionCount =>
  countOmissions(
    (count, names) =>
      `${counted(count, "image is a file name without an address and is", "images are file names without an address and are")} left out: ${names}. Use full image URLs.`,
  );

/** `Color:Red`: a name and a value, which may contain further colons. */
export function colonPairs(list: readonly string[]): { name: string; value: string }[] {
  return list.flatMap((pair) => {
    const [name = "", value = ""] = pair.split(/:(.*)/s, 2).map((part) => part.trim());
    return name === "" || value === "" ? [] : [{ name, value }];
  });
}

/** Counts values of an export that no item has, for one sentence at the end. */
export type OmissionCount = {
  readonly add: (example?: string) => void;
  readonly notes: () => RecordResult[];
};

const EXAMPLES = 5;

export function countOmissions(
  sentence: (count: number, examples: string) => string,
  code: WarningCode = "source_note",
): OmissionCount {
  const examples: string[] = [];
  let count = 0;
  return {
    add: (example) => {
      count += 1;
      if (example === undefined || examples.length >= EXAMPLES || examples.includes(example)) return;
      examples.push(Buffer.from(example).toString());
    },
    notes: () => {
      if (count === 0) return [];
      const more = examples.length === EXAMPLES && count > EXAMPLES ? ", …" : "";
      return [{ kind: "warning", code, message: sentence(count, `${examples.join(", ")}${more}`) }];
    },
  };
}

/** Drops weights whose unit the file does not give, and counts them. */
export function unitlessWeights() {
  const count = countOmissions(
    (weights) =>
      `${weights} weights are left out because the export does not say their unit. Set columns, e.g. "weight = weight (kg)".`,
  );
  return {
    notes: count.notes,
    drop: (draft: Draft): Draft => {
      const { weight, ...rest } = draft;
      if (weight === undefined || draft.weightUnit !== undefined || /[a-z]/i.test(weight)) return draft;
      if (Number(weight) > 0) count.add(draft.id);
      return rest;
    },
  };
}

/** Counts the published items of an export that have no link, and says at the end which setting adds links. */
export function unlinkedItems(hasTemplate: boolean, example: string | undefined) {
  const advice =
    example === undefined
      ? "No column of the export is part of an address, so add a column named link to the file."
      : `Set link_template, e.g. ${example}.`;
  const count = countOmissions((items, ids) =>
    hasTemplate
      ? `${counted(items, "row has", "rows have")} no value for a column that link_template uses: ${ids}. Fill the column, or use another one.`
      : `The export has no product links, which OpenAI and Google require. ${advice}`,
  );
  return {
    notes: count.notes,
    add: (draft: Draft): RecordResult => {
      if (draft.link === undefined && draft.published === undefined) count.add(draft.id);
      return { kind: "draft", draft };
    },
  };
}

/** No shop names more attributes than this. */
const MAX_NAMES = 2_000;

/** Reads named values (attributes, facets) by the alias tables, for these fields alone. */
export function namedFieldReader(
  fields: readonly TextField[],
): (pairs: Iterable<readonly [name: string, value: string]>) => Draft {
  const columns = dynamicColumns(MAX_NAMES);
  return (pairs) => {
    const draft = columns.map((set) => {
      for (const [name, value] of pairs) set(name, value);
    });
    const picked: Draft = {};
    for (const field of fields) {
      const value = draft[field];
      if (value !== undefined) picked[field] = value;
    }
    return picked;
  };
}
