/**
 * What an item looks like beside the other items of its group. Groups come one after another, so only one is ever
 * remembered, and of that one no more than `MOST_REMEMBERED` items; past that, "no sibling has it" becomes unknown.
 * Of several items that clash, the first is in the right and each later one is at fault.
 */
import type { Item, Option } from "../catalog/item.ts";
import type { ItemGroup } from "../catalog/item-group.ts";
import { FAULT, FINE, type Outcome, UNKNOWN } from "./outcome.ts";
import type { PlaceUnderWay } from "./place.ts";
import { type PriceBand, priceBand } from "./price-band.ts";

/** Ten times the largest part in which groups are handed over; no shop known to us has such a product. */
const MOST_REMEMBERED = 5_000;

export class Siblings {
  private groupId: string | null = null;
  private isAlone = true;
  /** The first sibling that has options, else the first: what the others are measured by. */
  private model: Item | undefined;
  private remembered = 0;
  private band: PriceBand | null = null;
  private readonly choices = new Set<string>();
  private readonly links = new Set<string>();
  private readonly colors = new Map<string, string>();
  private lastImage = "";
  private lastColor = "";

  enter({ groupId, items, whole }: ItemGroup): void {
    const goesOn = !whole && groupId !== null && groupId === this.groupId;
    this.groupId = groupId;
    if (!goesOn) this.forget();
    this.isAlone = whole && items.length === 1;
    if (groupId === null || this.isAlone) return;
    this.model ??= items.find(({ options }) => options !== undefined) ?? items[0];
    this.band = priceBand(items);
  }

  look(item: Item, place: PlaceUnderWay): void {
    const { model } = this;
    place.kin = this.groupId === null ? "none" : this.isAlone ? "alone" : "siblings";
    place.isOutlier = this.band !== null && isOutside(item, this.band);
    if (place.kin !== "siblings" || model === undefined) {
      place.isParentRow = false;
      return;
    }
    place.isParentRow = item.id === this.groupId && item.options === undefined && model.options !== undefined;
    place.isUneven = !place.isParentRow && isUneven(item, model);
    place.odd = oddity(item, model);
    const isFull = this.remembered >= MOST_REMEMBERED;
    if (!isFull) this.remembered++;
    place.choice = clash(this.choices, choiceOf(item), isFull);
    place.link = clash(this.links, item.link, isFull);
    place.image = this.imageClash(item, isFull);
  }

  private imageClash({ images, color }: Item, isFull: boolean): Outcome {
    const image = images?.[0];
    if (image === undefined || color === undefined) return FINE;
    // Variants of one color mostly stand together and share their image.
    if (image === this.lastImage && color === this.lastColor) return FINE;
    const known = this.colors.get(image);
    if (known !== undefined) return known === color ? FINE : FAULT;
    if (isFull) return UNKNOWN;
    this.colors.set(image, color);
    this.lastImage = image;
    this.lastColor = color;
    return FINE;
  }

  private forget(): void {
    this.model = undefined;
    this.band = null;
    if (this.remembered === 0) return;
    this.remembered = 0;
    this.choices.clear();
    this.links.clear();
    this.colors.clear();
    this.lastImage = "";
  }
}

function clash(seen: Set<string>, value: string, isFull: boolean): Outcome {
  if (value === "") return FINE;
  if (seen.has(value)) return FAULT;
  if (isFull) return UNKNOWN;
  seen.add(value);
  return FINE;
}

const SEPARATOR = "\u0000";

/** What is chosen, as one text; empty when nothing is, which is another rule's matter. */
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

/** An item without any options is told by its traits, unless its siblings have options and it has traits instead. */
function isUneven(item: Item, model: Item): boolean {
  if (item.options === undefined) return model.options !== undefined && traitsOf(item) !== "";
  return model.options === undefined || !haveSameNames(item.options, model.options);
}

function haveSameNames(a: readonly Option[], b: readonly Option[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) {
    const name = a[at]?.name;
    if (b[at]?.name !== name && !b.some((option) => option.name === name)) return false;
  }
  return true;
}

/** A value that is missing is another rule's matter. */
function oddity(item: Item, model: Item): PlaceUnderWay["odd"] {
  if (item === model) return null;
  if (item.brand !== undefined && model.brand !== undefined && item.brand !== model.brand) return "brand";
  const { groupTitle } = item;
  return groupTitle !== undefined && model.groupTitle !== undefined && groupTitle !== model.groupTitle
    ? "groupTitle"
    : null;
}

function isOutside({ price }: Item, { currency, low, high }: PriceBand): boolean {
  if (price.currency !== currency) return false;
  const amount = Number(price.amount);
  return amount > 0 && (amount < low || amount > high);
}
