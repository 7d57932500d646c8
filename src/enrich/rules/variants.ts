/** What an item is among the variants of its product, as sources have them: what rules do to other variants has no part in it. */
import type { Item, Money } from "../../catalog/item.ts";
import type { FieldText, RuleField, RuleSource } from "./fields.ts";

/** The variant that a feed keeps if it has one of each product. Those in stock come first. */
type Choice = (candidates: readonly Item[]) => Item | undefined;

const inStockFirst = (variants: readonly Item[]): readonly Item[] => {
  const inStock = variants.filter(({ availability }) => availability === "in_stock");
  return inStock.length === 0 ? variants : inStock;
};

const priceNow = ({ price, salePrice }: Item): Money => salePrice ?? price;

/** Amounts in different currencies cannot be compared: then the earlier one stays. */
function isCheaper(a: Item, b: Item): boolean {
  const [one, other] = [priceNow(a), priceNow(b)];
  return one.currency === other.currency && Number(one.amount) < Number(other.amount);
}

export const firstVariant: Choice = (variants) => inStockFirst(variants)[0];

export const cheapestVariant: Choice = (variants) =>
  inStockFirst(variants).reduce<Item | undefined>(
    (best, item) => (best === undefined || isCheaper(item, best) ? item : best),
    undefined,
  );

export const isChosen =
  (choose: Choice) =>
  ({ id }: Item, { variants = [] }: RuleSource): FieldText => {
    const chosen = choose(variants);
    return chosen === undefined ? undefined : chosen.id === id ? "yes" : "no";
  };

/** The lowest or highest value of a number or an amount, in the currency of the item. */
export function extremeOf(field: RuleField, isBetter: (a: number, b: number) => boolean): RuleField["read"] {
  return ({ price: { currency } }, source) => {
    let best: { readonly text: string; readonly number: number } | undefined;
    for (const variant of source.variants ?? []) {
      const text = field.read(variant, source);
      if (typeof text !== "string") continue;
      const [amount = "", unit = currency] = text.split(" ");
      const number = Number(amount);
      if (unit === currency && (best === undefined || isBetter(number, best.number))) best = { text, number };
    }
    return best?.text;
  };
}
