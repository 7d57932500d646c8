/** Judges a render by the limits of the publish guard. Pure: the same figures and limits have the same result. */
import { currencyExponent } from "../../../catalog/currency.ts";
import type { Exceeded, GuardSignal } from "../../../contract/publish-guard.ts";
import { formatCount, plural } from "../../../lib/counted.ts";
import { FILLED_FIELDS, type FilledField } from "../../render/item-facts.ts";
import { type RenderTotals, TotalsCounter } from "../../render/render-totals.ts";
import { checkBytes, checkRefused } from "./check-files.ts";
import { checkMarks, checkShared, checkTax, checkTexts } from "./check-values.ts";
import {
  freeItems,
  type GuardFigures,
  mainCurrency,
  medianPrice,
  type Moves,
  orderableItems,
  type RenderFigures,
} from "./figures.ts";
import { bothHave, factor, type GuardFinding, itemsOf, ratio } from "./finding.ts";
import { LIMITS, type LimitValues } from "./limits.ts";

/** First what causes the others. */
const CHECKS: readonly ((figures: GuardFigures) => readonly GuardFinding[])[] = [
  checkItems,
  checkFree,
  checkPrices,
  checkCurrency,
  checkStock,
  checkFields,
  checkShared,
  checkMarks,
  checkTexts,
  checkTax,
  checkHosts,
  checkRefused,
  checkBytes,
];

/** Returns the limits that the new render exceeds. A render that exceeds none is published. */
export function judge(figures: GuardFigures, limits: LimitValues): readonly Exceeded[] {
  return exceededIn(CHECKS, figures, ({ signal, change, sentence }) => {
    const limit = limits[signal];
    if (limit === null) return null;
    const message = () =>
      `${sentence()} (${amountOf(signal, change)}; the limit is ${amountOf(signal, limit)}).`;
    return { limit, minItems: LIMITS[signal].minItems, message };
  });
}

/**
 * Returns what is unlikely about the files themselves, without files to compare them with: most items have one price,
 * for example. Such files are published, because there are no better ones, and reported.
 */
export function judgeAlone(after: RenderFigures, limits: LimitValues): readonly Exceeded[] {
  const figures = { before: NO_FIGURES, after, changes: null };
  const exceeded = exceededIn([checkShared, checkMarks], figures, ({ signal, sentence }) => {
    const { alone } = LIMITS[signal];
    if (!alone || limits[signal] === null) return null;
    return { ...alone, message: () => `${sentence()}. ${alone.fix}` };
  });
  return exceeded.map((one) => ({ ...one, before: null }));
}

type AppliedLimit = { readonly limit: number; readonly minItems: number; readonly message: () => string };

/** `limitOf`: null if the limit of the finding is off. */
function exceededIn(
  checks: typeof CHECKS,
  figures: GuardFigures,
  limitOf: (finding: GuardFinding) => AppliedLimit | null,
): readonly Exceeded[] {
  return checks
    .flatMap((check) => check(figures))
    .flatMap((finding) => {
      const { signal, subject = null, change, items, before, after } = finding;
      const applied = limitOf(finding);
      if (!applied || change <= applied.limit || items < applied.minItems) return [];
      const { limit, message } = applied;
      return [{ signal, subject, before, after, change: rounded(change), limit, message: message() }];
    });
}

const NO_FIGURES: RenderFigures = { items: 0, files: [], totals: new TotalsCounter().totals() };

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

function amountOf(signal: GuardSignal, value: number): string {
  if (LIMITS[signal].unit === "factor") return `a factor of ${Number(value.toPrecision(3))}`;
  const percent = 100 * value;
  return `${percent >= 10 ? Math.round(percent) : Number(percent.toFixed(1))} %`;
}

function checkItems({ before, after, changes }: GuardFigures): readonly GuardFinding[] {
  // Without a comparison, at least the difference is known.
  const removed = changes?.removed ?? Math.max(before.items - after.items, 0);
  const added = changes?.added ?? Math.max(after.items - before.items, 0);
  const figures = { before: before.items, after: after.items };
  const published = `${formatCount(before.items)} published ${plural(before.items, "item")}`;
  return [
    {
      signal: "items_removed",
      change: ratio(removed, before.items),
      items: removed,
      ...figures,
      sentence: () => `${formatCount(removed)} of ${published} ${removed === 1 ? "is" : "are"} gone`,
    },
    {
      signal: "items_added",
      change: ratio(added, before.items),
      // A shop that is being set up grows from a few items to many.
      items: Math.min(added, before.items),
      ...figures,
      sentence: () => `${itemsOf(added)} ${added === 1 ? "is" : "are"} new, in addition to ${published}`,
    },
  ];
}

function checkFree({ before, after }: GuardFigures): readonly GuardFinding[] {
  if (!before.totals || !after.totals) return [];
  const [was, is] = [freeItems(before.totals), freeItems(after.totals)];
  return [
    {
      signal: "price_zero",
      change: ratio(is, after.items) - ratio(was, before.items),
      items: is,
      before: was,
      after: is,
      sentence: () =>
        `${formatCount(is)} of ${itemsOf(after.items)} cost nothing; before, it was ${formatCount(was)} of ${formatCount(before.items)}`,
    },
  ];
}

function checkPrices({ before, after, changes }: GuardFigures): readonly GuardFinding[] {
  const currency = before.totals && mainCurrency(before.totals);
  if (!before.totals || !after.totals || !currency) return [];
  const [was, is] = [medianPrice(before.totals, currency), medianPrice(after.totals, currency)];
  if (!was || !is) return [];
  const medians = {
    subject: currency,
    before: majorUnits(was.price, currency),
    after: majorUnits(is.price, currency),
  };
  const jumps = changes?.priceJumps ?? 0;
  const both = bothHave({ before, changes });
  return [
    {
      signal: "price_jumps",
      change: ratio(jumps, both),
      items: jumps,
      // Items are compared one by one: neither render has a figure of its own.
      before: null,
      after: null,
      sentence: () =>
        `${formatCount(jumps)} of ${itemsOf(both)} cost more than five times, or less than a fifth of, what they did`,
    },
    {
      signal: "price_median",
      change: factor(was.price, is.price),
      items: Math.min(was.items, is.items),
      ...medians,
      sentence: () => `The median price is about ${medians.after} ${currency}; it was ${medians.before}`,
    },
  ];
}

function majorUnits(price: number, currency: string): number {
  const decimals = currencyExponent(currency) ?? 2;
  return Number((price / 10 ** decimals).toFixed(decimals));
}

function checkCurrency({ before, changes }: GuardFigures): readonly GuardFinding[] {
  if (!changes) return [];
  const { items, from, to } = changes.currency;
  const both = bothHave({ before, changes });
  return [
    {
      signal: "currency_changed",
      change: ratio(items, both),
      items,
      before: from,
      after: to,
      sentence: () =>
        `${formatCount(items)} of ${itemsOf(both)} have another currency, most ${to} instead of ${from}`,
    },
  ];
}

function checkStock({ before, after, changes }: GuardFigures): readonly GuardFinding[] {
  if (!changes || !before.totals || !after.totals) return [];
  const [was, is] = [orderableItems(before.totals), orderableItems(after.totals)];
  const { outOfStock, backInStock, availabilityLost } = changes;
  const [knew, know] = [knownItems(before.totals), knownItems(after.totals)];
  const both = bothHave({ before, changes });
  return [
    {
      signal: "out_of_stock",
      change: ratio(outOfStock, was),
      items: outOfStock,
      before: was,
      after: is,
      sentence: () => `${formatCount(outOfStock)} of ${itemsOf(was)} that could be ordered no longer can`,
    },
    {
      signal: "back_in_stock",
      change: ratio(backInStock, both),
      items: backInStock,
      before: was,
      after: is,
      sentence: () =>
        `${formatCount(backInStock)} of ${itemsOf(both)} were out of stock and can be ordered now`,
    },
    {
      signal: "required_field_lost",
      subject: "availability",
      change: ratio(availabilityLost, knew),
      items: availabilityLost,
      before: knew,
      after: know,
      sentence: () => `${formatCount(availabilityLost)} of ${itemsOf(knew)} lost availability`,
    },
  ];
}

/** How many items have an availability that is known. */
const knownItems = ({ items, availability }: RenderTotals): number => items - availability.unknown;

/** Without them, some channel takes no item, or shows none. */
const REQUIRED: ReadonlySet<FilledField> = new Set(["description", "image", "brand", "link"]);

function checkFields({ before, after, changes }: GuardFigures): readonly GuardFinding[] {
  if (!changes || !before.totals || !after.totals) return [];
  const [was, is] = [before.totals, after.totals];
  return FILLED_FIELDS.map((field) => {
    const had = was.filled[field];
    // An item without its group is in another place: it counts as moved, and not as one that lost something.
    const lost =
      field === "group_id"
        ? Math.max(0, Math.round(had * Math.min(1, ratio(is.items, was.items))) - is.filled[field])
        : (changes.lost[field] ?? 0);
    return {
      signal: REQUIRED.has(field) ? "required_field_lost" : "attribute_lost",
      subject: field,
      change: ratio(lost, had),
      items: lost,
      before: had,
      after: is.filled[field],
      sentence: () => `${formatCount(lost)} of ${itemsOf(had)} lost ${field}`,
    };
  });
}

function checkHosts({ before, changes }: GuardFigures): readonly GuardFinding[] {
  if (!changes) return [];
  const both = bothHave({ before, changes });
  const finding = (signal: GuardSignal, what: string, { items, from, to }: Moves): GuardFinding => ({
    signal,
    change: ratio(items, both),
    items,
    before: from,
    after: to,
    sentence: () =>
      `${formatCount(items)} of ${itemsOf(both)} ${what} another host, most ${to ?? "one that is not known"}${from === null ? "" : ` instead of ${from}`}`,
  });
  return [
    finding("link_host", "link to", changes.linkHost),
    finding("image_host", "have their image on", changes.imageHost),
  ];
}
