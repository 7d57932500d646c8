/** Fields that follow from others. Conditions, templates and formulas read them; nothing sets them. */
import type { Item, Money } from "../../catalog/item.ts";
import type { RuleField } from "./fields.ts";
import { cheapestVariant, firstVariant, isChosen } from "./variants.ts";
import { divide, type Fraction, fractionOf, multiply, shortText, subtract, whole } from "./fraction.ts";

/** Of an amount, how many percent are left when a part of it is taken away. */
function percentLeft(amount: Money, part: Money): string | undefined {
  const [all, taken] = [exact(amount), exact(part)];
  if (amount.currency !== part.currency || all === undefined || taken === undefined) return undefined;
  const share = divide(multiply(subtract(all, taken), whole(100n)), all);
  return share === undefined ? undefined : shortText(share);
}

const exact = ({ amount }: Money): Fraction | undefined => fractionOf(amount);

/** What a buyer pays: the sale price if there is one, whether or not the sale has begun. */
const priceNow = ({ price, salePrice }: Item): Money => salePrice ?? price;

export const COMPUTED_FIELDS: readonly (RuleField & { readonly meaning: string })[] = [
  {
    name: "discount_percent",
    kind: "number",
    read: ({ price, salePrice }) => (salePrice === undefined ? undefined : percentLeft(price, salePrice)),
    meaning: "How much lower the sale price is than the regular price, or the price than the list price.",
  },
  {
    name: "margin_percent",
    kind: "number",
    read: (item) => (item.cost === undefined ? undefined : percentLeft(priceNow(item), item.cost)),
    isPrivate: true,
    mayBeNegative: true,
    meaning:
      "What is left of the price, or of the sale price, after `cost`, in percent of it. Taxes are not considered. It is as private as `cost`.",
  },
  {
    name: "is_cheapest_variant",
    kind: "flag",
    read: isChosen(cheapestVariant),
    usesSource: true,
    meaning:
      "Whether the item is the cheapest variant of its product, of those in stock if there are any. Of several that cost the same, it is the first by id.",
  },
  {
    name: "is_first_variant",
    kind: "flag",
    read: isChosen(firstVariant),
    usesSource: true,
    meaning:
      "Whether the item is the first variant of its product by id, of those in stock if there are any.",
  },
];
