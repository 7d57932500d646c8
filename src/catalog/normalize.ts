/**
 * Turns a draft into an item or a rejection. Values are cleaned and checked, never guessed. Required values (id, title,
 * link, price) are read first; any other value that cannot be used is dropped with a warning.
 * Same draft, same settings: same item, with its fields in the same order.
 */
import type { Draft } from "./draft.ts";
import type { Rejection, Warning } from "./finding.ts";
import type { Item } from "./item.ts";
import type { DecimalMark } from "./money.ts";
import { fillClassification, readOptions } from "./normalize/classification.ts";
import { readGoogle } from "./normalize/google.ts";
import { fillIdentity, readId } from "./normalize/identity.ts";
import {
  type DraftState,
  type MutableItem,
  type RequiredValue,
  setField,
  quoted,
  reject,
} from "./normalize/fields.ts";
import { fillLogistics } from "./normalize/logistics.ts";
import { fillMarket, readCustomLabels } from "./normalize/market.ts";
import { fillMeasures, readUnitPricing } from "./normalize/measures.ts";
import { fillMedia, readLink } from "./normalize/media.ts";
import { type ParsedPrices, readPrices } from "./normalize/price.ts";
import { fillStock, readStock } from "./normalize/stock.ts";
import { fillTexts, readTitle } from "./normalize/texts.ts";
import { booleanField, wordField } from "./normalize/typed-fields.ts";
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
  const state: DraftState = { draft, position, settings, decimalMark, warnings: [], itemId: null };
  const id = readId(state);
  if (id.kind === "valid" && wordField(state, "published", PUBLISHED_WORDS) === "no")
    return reject(
      state,
      "unpublished",
      "published",
      `The shop marks the item as ${quoted(draft.published ?? "")}. Publish it in the shop to list it.`,
    );
  const title = readTitle(state);
  const link = readLink(state);
  const prices = readPrices(state);
  if (
    id.kind === "rejected" ||
    title.kind === "rejected" ||
    link.kind === "rejected" ||
    prices.kind === "rejected"
  )
    return rejectedFor([id, title, link, prices]);
  const needs = { id: id.value, title: title.value, link: link.value };
  return { kind: "item", item: assemble(state, needs, prices.value), warnings: state.warnings };
}

/** One rejection with the code of the first problem and the sentences of all, so that all can be fixed at once. */
function rejectedFor(needed: readonly RequiredValue<unknown>[]): Normalized {
  const rejections = needed.flatMap((one) => (one.kind === "rejected" ? [one.rejection] : []));
  const [first] = rejections as [Rejection, ...Rejection[]];
  return {
    kind: "rejected",
    rejection: { ...first, message: rejections.map(({ message }) => message).join(" ") },
  };
}

function assemble(
  state: DraftState,
  { id, title, link }: { readonly id: string; readonly title: string; readonly link: string },
  prices: ParsedPrices,
): Item {
  const stock = readStock(state);
  const options = readOptions(state);
  const item: MutableItem = { id, title, link, price: prices.price, availability: stock.availability };
  fillIdentity(item, state);
  fillTexts(item, state);
  fillMedia(item, state);
  setField(item, "salePrice", prices.salePrice);
  setField(item, "saleFrom", prices.sale?.from);
  setField(item, "saleTo", prices.sale?.to);
  setField(item, "priceIsList", prices.isList);
  setField(item, "priceIncludesTax", booleanField(state, "priceIncludesTax"));
  setField(item, "unitPricing", readUnitPricing(state));
  fillStock(item, state, stock);
  fillClassification(item, state, options);
  setField(item, "customLabels", readCustomLabels(state));
  fillMeasures(item, state);
  fillLogistics(item, state);
  fillMarket(item, state);
  setField(item, "google", readGoogle(state, item.price.currency));
  return item;
}
