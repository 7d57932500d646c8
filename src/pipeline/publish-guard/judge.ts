/** Judges a render by the limits of the publish guard. Pure: the same figures and limits have the same result. */
import { currencyExponent } from "../../catalog/currency.ts";
import type { Exceeded, GuardSignal } from "../../contract/publish-guard.ts";
import { formatCount, plural } from "../../lib/counted.ts";
import { FILLED_FIELDS, type FilledField } from "../render/item-facts.ts";
import { type RenderTotals, SHARED_FIELDS, TotalsCounter } from "../render/render-totals.ts";
import {
  type FileFigures,
  freeItems,
  type GuardFigures,
  mainCurrency,
  medianPrice,
  commonestValue,
  type Moves,
  orderableItems,
  type RenderFigures,
  SWAPPED_FIELDS,
} from "./figures.ts";
import { LIMITS, type LimitValues } from "./limits.ts";

/** What a limit is compared with. */
type Finding = {
  readonly signal: GuardSignal;
  readonly subject?: string;
  /** A share of items or a factor, as the limit has it. */
  readonly change: number;
  /** How many items are concerned. */
  readonly items: number;
  readonly before: number | string | null;
  readonly after: number | string | null;
  /** Without the limit, and without the last mark. */
  readonly sentence: () => string;
};

/** First what causes the others. */
const CHECKS: readonly ((figures: GuardFigures) => readonly Finding[])[] = [
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

/** The limits that the new render exceeds; none: it can be published. */
export function judge(figures: GuardFigures, limits: LimitValues): readonly Exceeded[] {
  return CHECKS.flatMap((check) => check(figures)).flatMap((finding) => {
    const { signal, subject = null, change, items, before, after, sentence } = finding;
    const limit = limits[signal];
    if (limit === null || change <= limit || items < LIMITS[signal].minItems) return [];
    const message = `${sentence()} (${amountOf(signal, change)}; the limit is ${amountOf(signal, limit)}).`;
    return [{ signal, subject, before, after, change: rounded(change), limit, message }];
  });
}

/**
 * What is unlikely about the files themselves, without files to compare them with: most items have one price, for example. Such
 * files are published, because there are no better ones, and reported.
 */
export function judgeAlone(after: RenderFigures, limits: LimitValues): readonly Exceeded[] {
  const figures = { before: NO_FIGURES, after, changes: null };
  return [checkShared, checkMarks]
    .flatMap((check) => check(figures))
    .flatMap((finding) => {
      const { signal, subject = null, change, items, after: figure, sentence } = finding;
      const { alone } = LIMITS[signal];
      if (!alone || limits[signal] === null || change <= alone.limit || items < alone.minItems) return [];
      const message = `${sentence()}. ${alone.fix}`;
      return [
        {
          signal,
          subject,
          before: null,
          after: figure,
          change: rounded(change),
          limit: alone.limit,
          message,
        },
      ];
    });
}

const NO_FIGURES: RenderFigures = { items: 0, files: [], totals: new TotalsCounter().totals() };

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

function amountOf(signal: GuardSignal, value: number): string {
  if (LIMITS[signal].unit === "factor") return `a factor of ${Number(value.toPrecision(3))}`;
  const percent = 100 * value;
  return `${percent >= 10 ? Math.round(percent) : Number(percent.toFixed(1))} %`;
}

const itemsOf = (count: number): string => `${formatCount(count)} ${plural(count, "item")}`;
const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
/** Up or down, as a number above 1. */
const factor = (a: number, b: number): number => (a > 0 && b > 0 ? Math.max(a / b, b / a) : 1);

function checkItems({ before, after, changes }: GuardFigures): readonly Finding[] {
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

/** The files differ because of a change of the merchant here, apart from a few items. */
const isOwnDifference = ({ after, changes, hasOwnChange = false }: GuardFigures): boolean =>
  hasOwnChange && changes !== null && changes.judged < FEW * after.items;
const FEW = 0.1;

/** Items that will not be listed: a file leaves them out, or its destination will refuse them. */
function checkRefused(figures: GuardFigures): readonly Finding[] {
  const { before, after } = figures;
  if (isOwnDifference(figures)) return [];
  return after.files.map((file) => {
    const was = before.files.find((one) => one.file === file.file);
    const [now, earlier] = [unlisted(after.items, file), unlisted(before.items, was)];
    const change = ratio(now, after.items) - ratio(earlier, before.items);
    return {
      signal: "items_refused",
      subject: file.file,
      change,
      items: now,
      before: earlier,
      after: now,
      sentence: () =>
        `${formatCount(now)} of ${itemsOf(after.items)} will be refused or left out in ${file.file}; in the published file, it was ${formatCount(earlier)} of ${formatCount(before.items)}`,
    };
  });
}

const unlisted = (items: number, file: FileFigures | undefined): number =>
  file === undefined ? 0 : items - file.written + file.refused;

function checkFree({ before, after }: GuardFigures): readonly Finding[] {
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

function checkPrices({ before, after, changes }: GuardFigures): readonly Finding[] {
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

/** How many items both renders have. */
const bothHave = ({ before, changes }: Pick<GuardFigures, "before" | "changes">): number =>
  before.items - (changes?.removed ?? 0);

function checkCurrency({ before, changes }: GuardFigures): readonly Finding[] {
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

function checkStock({ before, after, changes }: GuardFigures): readonly Finding[] {
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

/** One value that many groups have. A group alone shares nothing. */
function checkShared({ before, after }: GuardFigures): readonly Finding[] {
  const [was, is] = [before.totals, after.totals];
  if (!was || !is) return [];
  return SHARED_FIELDS.map((field) => {
    const [earlier, now] = [commonestValue(was, field), commonestValue(is, field)];
    return {
      signal: `same_${field}`,
      change: now.share - earlier.share,
      items: now.groups < MIN_GROUPS ? 0 : now.items,
      before: earlier.items,
      after: now.items,
      sentence: () => `${formatCount(now.items)} of ${itemsOf(after.items)} have the same ${field}`,
    };
  });
}

const MIN_GROUPS = 3;

/** Items that carry a mark of their own: see `ItemFacts`. */
function checkMarks({ before, after }: GuardFigures): readonly Finding[] {
  const [was, is] = [before.totals, after.totals];
  if (!was || !is) return [];
  const finding = (
    signal: GuardSignal,
    mark: "titleIds" | "garbled" | "farApart",
    what: string,
  ): Finding => ({
    signal,
    change: ratio(is[mark], is.items) - ratio(was[mark], was.items),
    items: is[mark],
    before: was[mark],
    after: is[mark],
    sentence: () => `${formatCount(is[mark])} of ${itemsOf(after.items)} ${what}`,
  });
  return [
    finding("title_is_id", "titleIds", "have their id as their title"),
    finding(
      "garbled_text",
      "garbled",
      "have garbled letters in the title or description, such as “Ã¤” for “ä”",
    ),
    finding(
      "prices_far_apart",
      "farApart",
      "have a price that is a hundred times that of another item of the group, or of their sale price, or a hundredth",
    ),
  ];
}

/** Texts and addresses of items that both renders have. */
function checkTexts({ before, changes }: GuardFigures): readonly Finding[] {
  if (!changes) return [];
  const both = bothHave({ before, changes });
  const { titlesCut, swapped } = changes;
  const compared = { before: null, after: null };
  return [
    {
      signal: "titles_cut",
      change: ratio(titlesCut, both),
      items: titlesCut,
      ...compared,
      sentence: () => `The titles of ${formatCount(titlesCut)} of ${itemsOf(both)} are cut off`,
    },
    ...SWAPPED_FIELDS.map(
      (field): Finding => ({
        signal: "values_swapped",
        subject: field,
        change: ratio(swapped[field], both),
        items: swapped[field],
        ...compared,
        sentence: () =>
          `${formatCount(swapped[field])} of ${itemsOf(both)} have the ${field} that another item had before`,
      }),
    ),
  ];
}

function checkTax({ before, changes }: GuardFigures): readonly Finding[] {
  if (!changes?.tax) return [];
  const { rate, isAdded, items } = changes.tax;
  const both = bothHave({ before, changes });
  return [
    {
      signal: "tax_changed",
      subject: `${rate} %`,
      change: ratio(items, both),
      items,
      before: null,
      after: null,
      sentence: () =>
        `The prices of ${formatCount(items)} of ${itemsOf(both)} changed as if tax of ${rate} % had been ${isAdded ? "added" : "left out"}`,
    },
  ];
}

/** Without them, some channel takes no item, or shows none. */
const REQUIRED: ReadonlySet<FilledField> = new Set(["description", "image", "brand", "link"]);

function checkFields({ before, after, changes }: GuardFigures): readonly Finding[] {
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

function checkHosts({ before, changes }: GuardFigures): readonly Finding[] {
  if (!changes) return [];
  const both = bothHave({ before, changes });
  const finding = (signal: GuardSignal, what: string, { items, from, to }: Moves): Finding => ({
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

/** Texts that were cut off, or that have become markup: the bytes of an item show both. */
function checkBytes(figures: GuardFigures): readonly Finding[] {
  const { before, after } = figures;
  if (isOwnDifference(figures)) return [];
  return after.files.flatMap(({ file, written, bytes }) => {
    const was = before.files.find((one) => one.file === file);
    if (!was?.bytes || !bytes || was.written === 0 || written === 0) return [];
    const [each, eachBefore] = [Math.round(bytes / written), Math.round(was.bytes / was.written)];
    return [
      {
        signal: "file_bytes",
        subject: file,
        change: factor(each, eachBefore),
        items: Math.min(written, was.written),
        before: eachBefore,
        after: each,
        sentence: () =>
          `${file} has ${formatCount(each)} bytes for each item; the published one has ${formatCount(eachBefore)}`,
      },
    ];
  });
}
