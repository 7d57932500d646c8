/**
 * Compares an item with all items before it in the catalog, in one pass and bounded memory. A SQL query would have to
 * parse every item a second time, since items are stored as text, and the CLI audits files that are in no database.
 * Of several items with the same value, the first passes and each later one fails.
 */
import type { Condition, Item, ItemGroup } from "../catalog/item.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import { hashText, type HashKey } from "../lib/hash-table.ts";
import type { CatalogTables } from "./catalog-tables.ts";
import { COMPARED_LENGTH, hashTitlePrefix, type Seen } from "./key-tables.ts";
import { FAIL, type Outcome, PASS, UNKNOWN } from "./outcome.ts";
import type { MutableRuleContext } from "./rule.ts";

const OUTCOMES: Readonly<Record<Seen, Outcome>> = { new: PASS, seen: FAIL, full: UNKNOWN };

/** How many different descriptions of one group are compared; the result for further descriptions is unknown. */
const MAX_GROUP_TEXTS = 64;

type GroupText = { readonly high: number; readonly low: number; readonly outcome: Outcome };

export class CatalogIndex {
  private readonly settings: CatalogSettings;
  private readonly tables: CatalogTables;
  private groupId: string | null = null;
  /** The first item of the group represents the product. */
  private first: Item | undefined;
  private sharedImageCount = 0;
  private sharedLinkCount = 0;
  private readonly groupTexts: GroupText[] = [];
  private lastDescription: string | undefined;
  private uniqueDescription: Outcome = PASS;
  private readonly key: HashKey = { high: 0, low: 0 };

  constructor(settings: CatalogSettings, tables: CatalogTables) {
    this.settings = settings;
    this.tables = tables;
  }

  startGroup({ groupId, isWhole }: ItemGroup): void {
    const isContinued = !isWhole && groupId !== null && groupId === this.groupId;
    this.groupId = groupId;
    if (!isContinued) this.reset();
  }

  fill(item: Item, context: MutableRuleContext): void {
    if (this.groupId === null) this.reset();
    context.marketCurrency = configuredCurrency(item, this.settings) ?? this.firstCurrency(item);
    context.uniqueGtin = item.gtin === undefined ? PASS : this.addGtin(item.gtin, item);
    if (item.description !== undefined && item.description !== this.lastDescription) {
      this.lastDescription = item.description;
      this.uniqueDescription = this.addDescription(item.description);
    }
    context.uniqueDescription = this.uniqueDescription;
    this.fillShared(item, context);
  }

  private fillShared(item: Item, context: MutableRuleContext): void {
    const first = this.first ?? this.addProduct(item);
    context.sharedImageCount = item.images?.[0] === first.images?.[0] ? this.sharedImageCount : 0;
    context.sharedLinkCount = item.link === first.link ? this.sharedLinkCount : 0;
  }

  private addProduct(item: Item): Item {
    this.first = item;
    const prefix = hashTitlePrefix(item);
    if (item.link !== undefined) hashText(item.link, this.key);
    this.sharedLinkCount = item.link === undefined ? 0 : this.tables.countLink(this.key, prefix);
    const image = item.images?.[0];
    if (image !== undefined) hashText(image, this.key);
    this.sharedImageCount = image === undefined ? 0 : this.tables.countImage(this.key, prefix);
    return item;
  }

  private reset(): void {
    this.groupTexts.length = 0;
    this.first = undefined;
    this.lastDescription = undefined;
    this.uniqueDescription = PASS;
  }

  private firstCurrency({ price, country = "" }: Item): string {
    return this.tables.marketCurrency(country, price.currency);
  }

  /**
   * The same GTIN on several items is allowed in two cases: a used item has the GTIN of the new item, and a multipack
   * is sold under the GTIN of its content.
   */
  private addGtin(gtin: string, { condition, multipack, isBundle }: Item): Outcome {
    if (multipack !== undefined || isBundle === true) return PASS;
    // A GTIN has at most 14 digits, so number and condition together are exact below 2^53.
    const number = Number(gtin) * 4 + CONDITION_CODES[condition ?? "new"];
    return OUTCOMES[this.tables.addGtin(Math.floor(number / 2 ** 32), number % 2 ** 32)];
  }

  /** Siblings may share a description. */
  private addDescription(description: string): Outcome {
    hashText(description, this.key, COMPARED_LENGTH);
    const { high, low } = this.key;
    const known = this.groupTexts.find((text) => text.high === high && text.low === low);
    if (known !== undefined) return known.outcome;
    if (this.groupTexts.length === MAX_GROUP_TEXTS) return UNKNOWN;
    const outcome = OUTCOMES[this.tables.addDescription(this.key)];
    this.groupTexts.push({ high, low, outcome });
    return outcome;
  }
}

const CONDITION_CODES: Readonly<Record<Condition, number>> = { new: 0, refurbished: 1, used: 2 };

/** Returns the currency of the settings, for items of the catalog's own country. */
export function configuredCurrency(
  { country }: Item,
  { currency, country: home }: CatalogSettings,
): string | undefined {
  return country === undefined || home === undefined || country === home ? currency : undefined;
}
