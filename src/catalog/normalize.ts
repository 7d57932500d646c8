/**
 * A draft becomes an item, or a reason why not. Values are cleaned and checked, never guessed. What an item cannot
 * do without (an id, a title, a link, a price) is read first; whatever else cannot be used is left out with a warning.
 * Same draft, same settings: same item, with its fields in the same order.
 */
import type { Draft } from "./draft.ts";
import type { Rejection, Warning } from "./finding.ts";
import type { Item } from "./item.ts";
import type { DecimalMark } from "./money.ts";
import { fillClassification, readOptions } from "./normalize/classification.ts";
import { readGoogle } from "./normalize/google.ts";
import { fillIdentity, readId } from "./normalize/identity.ts";
import { type Intake, type ItemUnderWay, type Needed, put, quoted, reject } from "./normalize/intake.ts";
import { fillLogistics } from "./normalize/logistics.ts";
import { fillMarket, readCustomLabels } from "./normalize/market.ts";
import { fillMeasures, readUnitPricing } from "./normalize/measures.ts";
import { fillMedia, readLink } from "./normalize/media.ts";
import { type PricesSaid, readPrices } from "./normalize/price.ts";
import { fillStock, readStock } from "./normalize/stock.ts";
import { fillTexts, readTitle } from "./normalize/texts.ts";
import { flagOf, wordOf } from "./normalize/typed-fields.ts";
import type { CatalogSettings } from "./settings.ts";
import { PUBLISHED_WORDS } from "./vocabulary/traits.ts";

/**
 * Raise it when the same input, a file's row included, becomes another item than before: a file that has not changed
 * is then read again, once.
 */
export const NORMALIZER_VERSION = 3;

export type NormalizeContext = {
  /** Where in the source, counted from 1. */
  readonly position: number;
  readonly settings: CatalogSettings;
  /**
   * How the source writes decimals, when it is known: a platform's API always says `.`, a file's columns are judged
   * as a whole. Without it `1.299` and `1,299` follow the rules in `money.ts` and `decimal.ts`.
   */
  readonly decimalMark?: DecimalMark | undefined;
};

export type Normalized =
  | { readonly kind: "item"; readonly item: Item; readonly warnings: readonly Warning[] }
  | { readonly kind: "rejected"; readonly rejection: Rejection };

export function normalize(draft: Draft, context: NormalizeContext): Normalized {
  const { position, settings, decimalMark } = context;
  const intake: Intake = { draft, position, settings, decimalMark, warnings: [], itemId: null };
  const id = readId(intake);
  if (id.kind === "valid" && wordOf(intake, "published", PUBLISHED_WORDS) === "no")
    return reject(intake, "unpublished", "published", `The shop says ${quoted(draft.published ?? "")}.`);
  const title = readTitle(intake);
  const link = readLink(intake);
  const prices = readPrices(intake);
  if (
    id.kind === "rejected" ||
    title.kind === "rejected" ||
    link.kind === "rejected" ||
    prices.kind === "rejected"
  )
    return rejectedFor([id, title, link, prices]);
  const needs = { id: id.value, title: title.value, link: link.value };
  return { kind: "item", item: assemble(intake, needs, prices.value), warnings: intake.warnings };
}

/** One rejection with the code of the first problem and the sentences of all, so that all can be fixed at once. */
function rejectedFor(needed: readonly Needed<unknown>[]): Normalized {
  const rejections = needed.flatMap((one) => (one.kind === "rejected" ? [one.rejection] : []));
  const [first] = rejections as [Rejection, ...Rejection[]];
  return {
    kind: "rejected",
    rejection: { ...first, message: rejections.map(({ message }) => message).join(" ") },
  };
}

function assemble(
  intake: Intake,
  { id, title, link }: { readonly id: string; readonly title: string; readonly link: string },
  prices: PricesSaid,
): Item {
  const stock = readStock(intake);
  const options = readOptions(intake);
  const item: ItemUnderWay = { id, title, link, price: prices.price, availability: stock.availability };
  fillIdentity(item, intake);
  fillTexts(item, intake);
  fillMedia(item, intake);
  put(item, "salePrice", prices.salePrice);
  put(item, "saleFrom", prices.sale?.from);
  put(item, "saleTo", prices.sale?.to);
  put(item, "priceIsList", prices.isList);
  put(item, "priceIncludesTax", flagOf(intake, "priceIncludesTax"));
  put(item, "unitPricing", readUnitPricing(intake));
  fillStock(item, intake, stock);
  fillClassification(item, intake, options);
  put(item, "customLabels", readCustomLabels(intake));
  fillMeasures(item, intake);
  fillLogistics(item, intake);
  fillMarket(item, intake);
  put(item, "google", readGoogle(intake, item.price.currency));
  return item;
}
