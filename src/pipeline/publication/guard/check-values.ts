/** Texts, addresses and prices that many items share, that are garbled or far apart, or that belong to other items. */
import type { GuardSignal } from "../../../contract/publish-guard.ts";
import { formatCount } from "../../../lib/counted.ts";
import { SHARED_FIELDS } from "../../render/render-totals.ts";
import { commonestValue, type GuardFigures, SWAPPED_FIELDS } from "./figures.ts";
import { bothHave, type GuardFinding, itemsOf, ratio } from "./finding.ts";

/** Finds a value that many groups have. Items of one group may share it. */
export function checkShared({ before, after }: GuardFigures): readonly GuardFinding[] {
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
export function checkMarks({ before, after }: GuardFigures): readonly GuardFinding[] {
  const [was, is] = [before.totals, after.totals];
  if (!was || !is) return [];
  const finding = (
    signal: GuardSignal,
    mark: "titleIds" | "garbled" | "farApart",
    what: string,
  ): GuardFinding => ({
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
      "have garbled letters in the title or description, such as “Ã¤” or “?” for “ä”",
    ),
    finding(
      "prices_far_apart",
      "farApart",
      "have a price that differs by a factor of 100 or more from another item of the group, or from their sale price",
    ),
  ];
}

/** Texts and addresses of items that both renders have. */
export function checkTexts({ before, changes }: GuardFigures): readonly GuardFinding[] {
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
      (field): GuardFinding => ({
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

export function checkTax({ before, changes }: GuardFigures): readonly GuardFinding[] {
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
