/**
 * What an item looks like beside the whole catalog, from one pass and in bounded room. SQL could answer the same,
 * but items are stored as text, so each would have to be parsed a second time; and the command line audits files
 * that are in no database. Of several items that clash, the first is in the right and each later one is at fault.
 */
import type { Condition, Item } from "../catalog/item.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import type { ItemGroup } from "../catalog/item-group.ts";
import { FAULT, FINE, type Outcome, UNKNOWN } from "./outcome.ts";
import type { PlaceUnderWay } from "./place.ts";
import { type Seen, SeenTable } from "./seen-table.ts";
import { SharedTable } from "./shared-table.ts";
import { type Key, keyOf, keyOfOpening } from "./text-key.ts";
import { titleStem } from "./title-stem.ts";

const OUTCOMES: Readonly<Record<Seen, Outcome>> = { new: FINE, seen: FAULT, full: UNKNOWN };

/** How many different descriptions one group may bring; those of a group beyond that are not compared. */
const MOST_OWN = 64;

type Own = { readonly high: number; readonly low: number; readonly outcome: Outcome };

export class CatalogMemory {
  private readonly settings: CatalogSettings;
  private readonly gtins = new SeenTable();
  private readonly openings = new SeenTable();
  private readonly images = new SharedTable();
  private readonly links = new SharedTable();
  /** The first item of the group, by which the product is compared with others. */
  private first: Item | undefined;
  private imageSharers = 0;
  private linkSharers = 0;
  private readonly currencies = new Map<string, string>();
  private groupId: string | null = null;
  private readonly own: Own[] = [];
  private description: string | undefined;
  private opening: Outcome = FINE;
  private readonly key: Key = { high: 0, low: 0 };

  constructor(settings: CatalogSettings) {
    this.settings = settings;
  }

  enter({ groupId, whole }: ItemGroup): void {
    const goesOn = !whole && groupId !== null && groupId === this.groupId;
    this.groupId = groupId;
    if (!goesOn) this.forgetGroup();
  }

  look(item: Item, place: PlaceUnderWay): void {
    if (this.groupId === null) this.forgetGroup();
    place.currency = currencyAt(item, this.settings) ?? this.marketCurrency(item);
    place.gtin = item.gtin === undefined ? FINE : this.gtinOutcome(item.gtin, item);
    if (item.description !== undefined && item.description !== this.description) {
      this.description = item.description;
      this.opening = this.openingOutcome(item.description);
    }
    place.opening = this.opening;
    this.countSharers(item, place);
  }

  private countSharers(item: Item, place: PlaceUnderWay): void {
    const first = this.first ?? this.startGroup(item);
    place.imageSharers = item.images?.[0] === first.images?.[0] ? this.imageSharers : 0;
    place.linkSharers = item.link === first.link ? this.linkSharers : 0;
  }

  private startGroup(item: Item): Item {
    this.first = item;
    const stem = titleStem(item);
    keyOf(item.link, this.key);
    this.linkSharers = this.links.count(this.key, stem);
    const image = item.images?.[0];
    if (image !== undefined) keyOf(image, this.key);
    this.imageSharers = image === undefined ? 0 : this.images.count(this.key, stem);
    return item;
  }

  private forgetGroup(): void {
    this.own.length = 0;
    this.first = undefined;
    this.description = undefined;
    this.opening = FINE;
  }

  private marketCurrency({ price, country = "" }: Item): string {
    const known = this.currencies.get(country);
    if (known !== undefined) return known;
    this.currencies.set(country, price.currency);
    return price.currency;
  }

  /** A used copy has the GTIN of the new one; a multipack is sold under the number of what is in it. */
  private gtinOutcome(gtin: string, { condition, multipack, isBundle }: Item): Outcome {
    if (multipack !== undefined || isBundle === true) return FINE;
    // A GTIN has 14 digits at most, so number and condition together are exact below 2^53.
    const number = Number(gtin) * 4 + CONDITION_CODES[condition ?? "new"];
    return OUTCOMES[this.gtins.add(Math.floor(number / 2 ** 32), number % 2 ** 32)];
  }

  private openingOutcome(description: string): Outcome {
    keyOfOpening(description, this.key);
    const { high, low } = this.key;
    const own = this.own.find((known) => known.high === high && known.low === low);
    if (own !== undefined) return own.outcome;
    if (this.own.length === MOST_OWN) return UNKNOWN;
    const outcome = OUTCOMES[this.openings.add(high, low)];
    this.own.push({ high, low, outcome });
    return outcome;
  }
}

const CONDITION_CODES: Readonly<Record<Condition, number>> = { new: 0, refurbished: 1, used: 2 };

/** The catalog's currency, where it is what the item's market is priced in. */
export function currencyAt(
  { country }: Item,
  { currency, country: home }: CatalogSettings,
): string | undefined {
  return country === undefined || home === undefined || country === home ? currency : undefined;
}
