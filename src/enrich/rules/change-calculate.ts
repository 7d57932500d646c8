/** The action calculate: sets a field to the result of a formula. */
import type { RuleAction } from "../../contract/rules.ts";
import { currencyExponent } from "../../catalog/currency.ts";
import type { Item } from "../../catalog/item.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { type Change, writeTexts } from "./change.ts";
import { checkPublishable } from "./field-names.ts";
import type { RuleField } from "./fields.ts";
import { compileFormula } from "./formula.ts";
import { fixedText, type Fraction, shortText } from "./fraction.ts";
import { RuleError } from "./problem.ts";
import { isRefusal, type Refusal } from "./write.ts";

const SETTABLE: ReadonlySet<string> = new Set(["money", "number", "text"]);

export function calculateChange(
  field: RuleField,
  { formula: text = "" }: RuleAction,
  settings: CatalogSettings,
): Change {
  if (!SETTABLE.has(field.kind)) {
    const message = `calculate sets amounts, numbers and texts, and ${field.name} is none. Use set or map.`;
    throw new RuleError("field_not_settable", "/action/field", message);
  }
  const { fields, only, evaluate } = compileFormula(text, "/action/formula");
  if (only?.name === field.name)
    throw new RuleError("no_effect", "/action/formula", `${field.name} is set to itself.`);
  if (only !== undefined && field.isPrivate !== true) checkPublishable(only, "/action/formula");
  const usesOwn = [...fields].some(({ name }) => name === field.name);
  return (item, source) => {
    const result = evaluate(item, source);
    if (result === undefined) return item;
    if (isRefusal(result)) return result;
    if (usesOwn && field.name === "sale_price" && item.priceIsList === true) return SALE_IS_PRICE;
    const written = field.kind === "money" ? amountText(field, result, item) : shortText(result);
    return typeof written === "string" ? writeTexts(item, field, [written], settings) : written;
  };
}

/** With a rule for price and one for sale_price, the price of such an item would be changed twice. */
const SALE_IS_PRICE: Refusal = {
  refused: "Next to a list price, sale_price is the price itself. Calculate price instead.",
};

/** Fields that must not become free by a calculation. */
const PRICES: ReadonlySet<string> = new Set(["price", "sale_price", "list_price"]);

function amountText({ name }: RuleField, result: Fraction, { price: { currency } }: Item): string | Refusal {
  const text = `${fixedText(result, currencyExponent(currency) ?? 2)} ${currency}`;
  const isZero = !/[1-9]/.test(text);
  if (text.startsWith("-") && !isZero)
    return { refused: `The formula makes ${name} ${text}, which is below zero.` };
  if (isZero && PRICES.has(name)) return { refused: `The formula makes ${name} zero.` };
  return text.replace(/^-/, "");
}
