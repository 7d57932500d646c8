/**
 * Prices. `price` is always the regular price and `salePrice` a lower one. Shops state them in two ways: a price and a
 * sale price, or the current price and the higher list price. A sale price that is stated and lower wins.
 *
 * A sale whose dates cannot be read is dropped: without its dates it would never end.
 */
import { snakeCase } from "../../lib/snake-case.ts";
import { nameCurrency, withdrawnCurrency } from "../currency.ts";
import { type Interval, parseInstant, parseInterval, toInterval } from "../dates.ts";
import { type Checked, type Invalid, PROBLEMS } from "../checked.ts";
import type { RejectionCode, WarningCode } from "../finding.ts";
import type { Money } from "../item.ts";
import { compareMoney, formatMoney, isZero, parseMoney } from "../money.ts";
import {
  type DraftState,
  dropWithWarning,
  quoted,
  readField,
  reject,
  type RequiredValue,
  validOrDrop,
  warn,
} from "./fields.ts";

export type ParsedPrices = {
  readonly price: Money;
  readonly salePrice?: Money;
  readonly sale?: Interval;
  /** Whether `price` is a list price, next to which the shop shows the price now as `salePrice`. */
  readonly isList?: boolean;
};

/** Other problems are `invalid_price`. */
const REJECTIONS: Readonly<Partial<Record<Invalid["reason"], RejectionCode>>> = {
  empty: "missing_price",
  ambiguous_number: "ambiguous_price",
  missing_currency: "missing_currency",
  ambiguous_currency: "invalid_currency",
  unknown_currency: "invalid_currency",
  conflicting_currencies: "invalid_currency",
};

export function readPrices(state: DraftState): RequiredValue<ParsedPrices> {
  const price = readPrice(state);
  if (price.kind === "rejected") return price;
  const stated = readSalePrice(state, price.value);
  if (stated === undefined) return { kind: "valid", value: readComparison(state, price.value) };
  const sale = readSaleWindow(state);
  if (sale === undefined) return { kind: "valid", value: { price: price.value } };
  if (isZero(stated)) {
    const effect = "while the sale runs, OpenAI and Google refuse the item";
    warn(state, "zero_price", "salePrice", `sale_price "${formatMoney(stated)}" is zero; ${effect}.`);
  }
  return { kind: "valid", value: { price: price.value, salePrice: stated, sale } };
}

function readPrice(state: DraftState): RequiredValue<Money> {
  const text = readField(state, "price");
  if (text === undefined) return reject(state, "missing_price", "price", "The item has no price.");
  const named = readField(state, "currency");
  const currency =
    named === undefined ? state.settings.currency : currencyCodeOf(named, state.settings.currency);
  const price = readMoney(state, { field: "price", text, currency });
  if (price.kind === "invalid") return rejectPrice(state, { text, named, reason: price.reason });
  if (named !== undefined && price.value.currency !== currency) {
    const message = `currency ${quoted(named)} differs from the currency in price ${quoted(text)}; the one in the price is used.`;
    warn(state, "currency_conflict", "currency", message);
  }
  if (isZero(price.value)) {
    const message = `price ${quoted(text)} is zero; OpenAI and Google refuse the item.`;
    warn(state, "zero_price", "price", message);
  }
  return price;
}

function rejectPrice(
  state: DraftState,
  { text, named, reason }: { text: string; named: string | undefined; reason: Invalid["reason"] },
): RequiredValue<never> {
  if (reason === "missing_currency" && named !== undefined) {
    const problem = withdrawnCurrency(named) ?? "is not an ISO 4217 code such as EUR or USD";
    const message = `The currency ${quoted(named)} ${problem}.`;
    return reject(state, "invalid_currency", "currency", message);
  }
  if (reason === "unknown_currency") {
    const [code = ""] = /\p{L}{3}/u.exec(text) ?? [];
    const problem = withdrawnCurrency(code);
    const message = `The currency ${quoted(code)} of the price ${quoted(text)} ${problem}.`;
    if (problem !== undefined) return reject(state, "invalid_currency", "price", message);
  }
  const message =
    reason === "ambiguous_number" ? bothReadings(text) : `The price ${quoted(text)} ${PROBLEMS[reason]}.`;
  return reject(state, REJECTIONS[reason] ?? "invalid_price", "price", message);
}

/** Parses an amount, and warns if it was rounded to its currency. */
export function readMoney(
  state: DraftState,
  { field, text, currency }: { field: string; text: string; currency: string | undefined },
): Checked<Money> {
  const money = parseMoney(text, { currency, decimalMark: state.decimalMark });
  if (money.kind === "valid" && money.isRounded === true) {
    const message = `${snakeCase(field)} ${quoted(text)} has more decimals than the currency has; it was rounded to ${formatMoney(money.value)}.`;
    warn(state, "price_rounded", field, message);
  }
  return money;
}

/** Names the setting that decides, with what each of its values makes of this price. */
function bothReadings(text: string): string {
  const [, whole = "", mark = "", fraction = ""] = /(\d{1,3})([.,])(\d{3})/.exec(text) ?? [];
  const grouping = mark === "." ? "," : ".";
  const [decimal, thousands] = [`${whole}.${fraction}`, `${whole}${fraction}`];
  return `The price ${quoted(text)} can be read as ${decimal} or as ${thousands}, and the other prices do not show which. Set decimal_mark to "${mark}" for ${decimal} or to "${grouping}" for ${thousands}.`;
}

function currencyCodeOf(token: string, expected: string | undefined): string | undefined {
  const named = nameCurrency(token, expected);
  return named.kind === "named" ? named.code : undefined;
}

function readSalePrice(state: DraftState, price: Money): Money | undefined {
  const text = readField(state, "salePrice");
  if (text === undefined) return undefined;
  const about = { code: "invalid_sale_price", field: "salePrice", value: text } as const;
  const sale = amountIn(state, price.currency, about);
  if (sale === undefined) return undefined;
  if (isZero(sale) && !hasSaleDates(state))
    return dropWithWarning(state, "invalid_sale_price", "salePrice", { value: text, problem: "is zero" });
  if (compareMoney(sale, price) < 0) return sale;
  const problem = `is not lower than the price ${formatMoney(price)}`;
  return dropWithWarning(state, "sale_price_not_lower", "salePrice", { value: text, problem });
}

/**
 * Whether a shop scheduled the sale. A scheduled sale at zero is a gift for some days, and is kept. Without dates,
 * or with Google's interval, zero is how files say that there is no sale.
 */
function hasSaleDates(state: DraftState): boolean {
  if (readField(state, "saleWindow") !== undefined) return false;
  return readField(state, "saleFrom") !== undefined || readField(state, "saleTo") !== undefined;
}

/** The price now next to a higher list price. A price of zero is kept as the price: it is not a discount. */
function readComparison(state: DraftState, price: Money): ParsedPrices {
  const text = readField(state, "listPrice");
  if (text === undefined) return { price };
  const about = { code: "invalid_list_price", field: "listPrice", value: text } as const;
  const list = amountIn(state, price.currency, about);
  const isHigher = list !== undefined && compareMoney(list, price) > 0 && !isZero(price);
  return isHigher ? { price: list, salePrice: price, isList: true } : { price };
}

/**
 * Reads the cost of the item for the shop. Exports write zero if the shop has entered nothing, so zero is not a cost.
 */
export function readCost(state: DraftState, currency: string): Money | undefined {
  const value = readField(state, "cost");
  if (value === undefined) return undefined;
  const cost = amountIn(state, currency, { code: "invalid_amount", field: "cost", value });
  return cost === undefined || isZero(cost) ? undefined : cost;
}

/** An amount in the currency of the item's price; undefined after a warning. */
export function amountIn(
  state: DraftState,
  currency: string,
  about: { readonly code: WarningCode; readonly field: string; readonly value: string },
): Money | undefined {
  const { field, value } = about;
  const parsed = readMoney(state, { field, text: value, currency });
  const money = validOrDrop(state, parsed, about);
  if (money === undefined || money.currency === currency) return money;
  return dropWithWarning(state, "currency_differs", field, { value, problem: `is not in ${currency}` });
}

/** When the sale runs: `{}` for always, undefined when that cannot be read. */
function readSaleWindow(state: DraftState): Interval | undefined {
  const whole = readField(state, "saleWindow");
  const from = readField(state, "saleFrom");
  const to = readField(state, "saleTo");
  const value = whole ?? [from, to].filter((end) => end !== undefined).join("/");
  if (value === "") return {};
  const window: Checked<Interval> =
    whole === undefined ? toInterval(endOf(from, "start"), endOf(to, "end")) : parseInterval(whole);
  if (window.kind === "valid") return window.value;
  const problem = `${PROBLEMS[window.reason]}, so the sale price is not used`;
  return dropWithWarning(state, "invalid_sale_window", "saleWindow", { value, problem });
}

function endOf(text: string | undefined, edge: "start" | "end"): Checked<string> | undefined {
  return text === undefined ? undefined : parseInstant(text, edge);
}
