/**
 * Prices. `price` is always the regular price and `salePrice` a lower one. Shops state them in two ways: a price and a
 * sale price, or the current price and the higher list price. A sale price that is
 * stated and lower wins over the comparison.
 *
 * A sale whose dates cannot be read is dropped: without its dates it would never end.
 */
import { nameCurrency } from "../currency.ts";
import {
  DATE_PROBLEMS,
  type DateProblem,
  type Interval,
  parseInstant,
  parseInterval,
  toInterval,
} from "../dates.ts";
import type { Checked } from "../checked.ts";
import type { RejectionCode } from "../finding.ts";
import type { Money } from "../item.ts";
import {
  compareMoney,
  formatMoney,
  isZero,
  MONEY_PROBLEMS,
  type MoneyHints,
  type MoneyProblem,
  parseMoney,
} from "../money.ts";
import {
  readField,
  type DraftState,
  dropWithWarning,
  type RequiredValue,
  quoted,
  reject,
  warn,
} from "./fields.ts";

export type ParsedPrices = {
  readonly price: Money;
  readonly salePrice?: Money;
  readonly sale?: Interval;
  /** The price is the one that the price now is compared with. */
  readonly isList?: boolean;
};

const REJECTIONS: Readonly<Record<MoneyProblem, RejectionCode>> = {
  empty: "missing_price",
  not_a_number: "invalid_price",
  negative: "invalid_price",
  range: "invalid_price",
  exponent: "invalid_price",
  too_precise: "invalid_price",
  too_large: "invalid_price",
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
    const effect = "while the sale runs, feeds that forbid a price of zero omit the item";
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
  const price = parseMoney(text, { currency, decimalMark: state.decimalMark });
  if (price.kind === "invalid") {
    if (price.reason === "missing_currency" && named !== undefined)
      return reject(
        state,
        "invalid_currency",
        "currency",
        `The currency ${quoted(named)} is not an ISO 4217 code such as EUR or USD.`,
      );
    const message = `The price ${quoted(text)} ${MONEY_PROBLEMS[price.reason]}.`;
    return reject(state, REJECTIONS[price.reason], "price", message);
  }
  if (named !== undefined && price.value.currency !== currency)
    warn(
      state,
      "currency_conflict",
      "currency",
      `currency ${quoted(named)} differs from the currency in price ${quoted(text)}; the one in the price is used.`,
    );
  if (isZero(price.value))
    warn(
      state,
      "zero_price",
      "price",
      `price ${quoted(text)} is zero; feeds that forbid this omit the item.`,
    );
  return price;
}

function currencyCodeOf(token: string, expected: string | undefined): string | undefined {
  const named = nameCurrency(token, expected);
  return named.kind === "named" ? named.code : undefined;
}

function readSalePrice(state: DraftState, price: Money): Money | undefined {
  const text = readField(state, "salePrice");
  if (text === undefined) return undefined;
  const sale = parseMoney(text, moneyHints(state, price));
  if (sale.kind === "invalid")
    return dropWithWarning(state, "invalid_sale_price", "salePrice", {
      value: text,
      problem: MONEY_PROBLEMS[sale.reason],
    });
  if (sale.value.currency !== price.currency)
    return dropWithWarning(state, "currency_differs", "salePrice", {
      value: text,
      problem: `is not in ${price.currency}`,
    });
  if (isZero(sale.value) && !hasSaleDates(state))
    return dropWithWarning(state, "invalid_sale_price", "salePrice", { value: text, problem: "is zero" });
  if (compareMoney(sale.value, price) < 0) return sale.value;
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

/** The price now beside a higher list price. Nothing is free by comparison, so a price of zero stays what it is. */
function readComparison(state: DraftState, price: Money): ParsedPrices {
  const text = readField(state, "listPrice");
  if (text === undefined) return { price };
  const list = parseMoney(text, moneyHints(state, price));
  if (list.kind === "invalid") {
    dropWithWarning(state, "invalid_list_price", "listPrice", {
      value: text,
      problem: MONEY_PROBLEMS[list.reason],
    });
    return { price };
  }
  if (list.value.currency !== price.currency) {
    dropWithWarning(state, "currency_differs", "listPrice", {
      value: text,
      problem: `is not in ${price.currency}`,
    });
    return { price };
  }
  const isHigher = compareMoney(list.value, price) > 0 && !isZero(price);
  return isHigher ? { price: list.value, salePrice: price, isList: true } : { price };
}

function moneyHints(state: DraftState, price: Money): MoneyHints {
  return { currency: price.currency, decimalMark: state.decimalMark };
}

/** When the sale runs: `{}` for always, undefined when that cannot be read. */
function readSaleWindow(state: DraftState): Interval | undefined {
  const whole = readField(state, "saleWindow");
  const from = readField(state, "saleFrom");
  const to = readField(state, "saleTo");
  const value = whole ?? [from, to].filter((end) => end !== undefined).join("/");
  if (value === "") return {};
  const window: Checked<Interval, DateProblem> =
    whole === undefined ? toInterval(endOf(from, "start"), endOf(to, "end")) : parseInterval(whole);
  if (window.kind === "valid") return window.value;
  const problem = `${DATE_PROBLEMS[window.reason]}, so the sale price is not used`;
  return dropWithWarning(state, "invalid_sale_window", "saleWindow", { value, problem });
}

function endOf(text: string | undefined, edge: "start" | "end"): Checked<string, DateProblem> | undefined {
  return text === undefined ? undefined : parseInstant(text, edge);
}
