/**
 * Compares an item with the other items of its group. Groups come one after another, so only one group is in memory,
 * and at most `MAX_REMEMBERED` items of it. For later items, "no sibling has this value" becomes unknown. Of several
 * items with the same value, the first passes and each later one fails.
 */
import type { Item, Option, ItemGroup } from "../catalog/item.ts";
import { FAIL, type Outcome, PASS, UNKNOWN } from "./outcome.ts";
import type { MutableRuleContext } from "./rule.ts";

/** Ten times the largest part of a group that a render passes on. No shop is known to have such a product. */
const MAX_REMEMBERED = 5_000;

export class Siblings {
  private groupId: string | null = null;
  private isSingle = true;
  /** The first sibling that has options, or else the first sibling. The other siblings are compared with it. */
  private reference: Item | undefined;
  private remembered = 0;
  private priceRange: SiblingPriceRange | null = null;
  private readonly choices = new DistinctTexts();
  private readonly links = new DistinctTexts();
  private readonly imageColors = new Map<string, string>();
  private lastImage = "";
  private lastColor = "";

  startGroup({ groupId, items, isWhole }: ItemGroup): void {
    const isContinued = !isWhole && groupId !== null && groupId === this.groupId;
    this.groupId = groupId;
    if (!isContinued) this.reset();
    this.isSingle = isWhole && items.length === 1;
    if (groupId === null || this.isSingle) return;
    this.reference ??= items.find(({ options }) => options !== undefined) ?? items[0];
    this.priceRange = expectedPrices(items);
  }

  fill(item: Item, context: MutableRuleContext): void {
    const { reference } = this;
    context.groupStatus = this.groupId === null ? "none" : this.isSingle ? "single" : "siblings";
    context.isPriceOutlier = this.priceRange !== null && isOutside(item, this.priceRange);
    if (context.groupStatus !== "siblings" || reference === undefined) {
      context.isParentRow = false;
      return;
    }
    context.isParentRow =
      item.id === this.groupId && item.options === undefined && reference.options !== undefined;
    context.hasOtherOptions = !context.isParentRow && hasOtherOptions(item, reference);
    context.mismatch = findMismatch(item, reference);
    const isFull = this.remembered >= MAX_REMEMBERED;
    if (!isFull) this.remembered++;
    context.uniqueOptions = addUnique(this.choices, choiceOf(item), isFull);
    context.uniqueLink = addUnique(this.links, item.link, isFull);
    context.uniqueImage = this.addImage(item, isFull);
  }

  private addImage({ images, color }: Item, isFull: boolean): Outcome {
    const image = images?.[0];
    if (image === undefined || color === undefined) return PASS;
    // Variants of one color mostly follow each other and share their image.
    if (image === this.lastImage && color === this.lastColor) return PASS;
    const known = this.imageColors.get(image);
    if (known !== undefined) return known === color ? PASS : FAIL;
    if (isFull) return UNKNOWN;
    this.imageColors.set(image, color);
    this.lastImage = image;
    this.lastColor = color;
    return PASS;
  }

  private reset(): void {
    this.reference = undefined;
    this.priceRange = null;
    if (this.remembered === 0) return;
    this.remembered = 0;
    this.choices.clear();
    this.links.clear();
    this.imageColors.clear();
    this.lastImage = "";
  }
}

const MAX_FEW = 16;

/**
 * A set of texts. A few texts are compared one by one, which takes less time than a `Set` because no text is hashed.
 */
class DistinctTexts {
  private readonly few: string[] = [];
  private many: Set<string> | null = null;

  has(text: string): boolean {
    return this.many?.has(text) ?? this.few.includes(text);
  }

  add(text: string): void {
    if (this.many !== null) this.many.add(text);
    else if (this.few.push(text) > MAX_FEW) this.many = new Set(this.few);
  }

  clear(): void {
    this.few.length = 0;
    this.many = null;
  }
}

function addUnique(seen: DistinctTexts, value: string | undefined, isFull: boolean): Outcome {
  if (value === undefined || value === "") return PASS;
  if (seen.has(value)) return FAIL;
  if (isFull) return UNKNOWN;
  seen.add(value);
  return PASS;
}

const SEPARATOR = "\u0000";

/** Returns the chosen options as one text; empty if there are no options, which another rule checks. */
function choiceOf(item: Item): string {
  if (item.options === undefined) return traitsOf(item);
  let choice = "";
  for (const { value } of item.options) choice += value + SEPARATOR;
  return choice;
}

function traitsOf(item: Item): string {
  const { color = "", size = "", material = "", pattern = "", gender = "", ageGroup = "" } = item;
  const traits = color + SEPARATOR + size + SEPARATOR + material + pattern + gender + ageGroup;
  return traits.length === 2 ? "" : traits;
}

/** An item without options may be identified by its traits, unless its siblings have options. */
function hasOtherOptions(item: Item, reference: Item): boolean {
  if (item.options === undefined) return reference.options !== undefined && traitsOf(item) !== "";
  return reference.options === undefined || !haveSameNames(item.options, reference.options);
}

function haveSameNames(a: readonly Option[], b: readonly Option[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) {
    const name = a[at]?.name;
    if (b[at]?.name !== name && !b.some((option) => option.name === name)) return false;
  }
  return true;
}

/** Missing values are checked by other rules. */
function findMismatch(item: Item, reference: Item): MutableRuleContext["mismatch"] {
  if (item === reference) return null;
  const isOther = (field: "brand" | "groupTitle"): boolean =>
    item[field] !== undefined && reference[field] !== undefined && item[field] !== reference[field];
  return isOther("brand") ? "brand" : isOther("groupTitle") ? "groupTitle" : null;
}

/** Prices are compared as IEEE doubles, which are the same on every machine; no score is computed from them. */
type SiblingPriceRange = { readonly currency: string; readonly low: number; readonly high: number };

/** Prices of variants can differ much (a sample and a roll); a misplaced decimal point differs by a hundred. */
const MAX_FACTOR = 20;
const MIN_PRICES = 3;

/**
 * Returns the range within twenty times of the median. Null if all prices are within it, which is nearly always the
 * case, or if there are too few prices.
 */
function expectedPrices(items: readonly Item[]): SiblingPriceRange | null {
  const first = items[0]?.price;
  if (first === undefined || items.length < MIN_PRICES) return null;
  if (items.every(({ price }) => price.amount === first.amount)) return null;
  const amounts = items
    .filter(({ price }) => price.currency === first.currency)
    .map(({ price }) => Number(price.amount))
    .filter((amount) => amount > 0)
    .sort((a, b) => a - b);
  const [lowest = 0, highest = 0] = [amounts[0], amounts.at(-1)];
  if (amounts.length < MIN_PRICES || highest <= lowest * MAX_FACTOR) return null;
  const median = amounts[Math.floor((amounts.length - 1) / 2)] ?? 0;
  return { currency: first.currency, low: median / MAX_FACTOR, high: median * MAX_FACTOR };
}

function isOutside({ price }: Item, { currency, low, high }: SiblingPriceRange): boolean {
  if (price.currency !== currency) return false;
  const amount = Number(price.amount);
  return amount > 0 && (amount < low || amount > high);
}
