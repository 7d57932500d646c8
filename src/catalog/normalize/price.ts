/**
 * What the item costs. `price` is always the regular price and `salePrice` a lower one. A shop may say this in two
 * ways: a price and a sale price, or the price now and the higher one it is compared with. A sale price that is
 * stated and lower wins over the comparison.
 *
 * A sale whose dates cannot be read is dropped whole: published without its dates it would run for ever.
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
import { given, type Intake, leaveOut, type Needed, quoted, reject, warn } from "./intake.ts";

export type PricesSaid = {
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

export function readPrices(intake: Intake): Needed<PricesSaid> {
  const price = readPrice(intake);
  if (price.kind === "rejected") return price;
  const stated = readSalePrice(intake, price.value);
  if (stated === undefined) return { kind: "valid", value: readComparison(intake, price.value) };
  const sale = readSaleWindow(intake);
  if (sale === undefined) return { kind: "valid", value: { price: price.value } };
  if (isZero(stated)) {
    const effect = "while the sale runs, feeds that forbid a price of zero leave the item out";
    warn(intake, "zero_price", "salePrice", `sale_price "${formatMoney(stated)}" is zero; ${effect}.`);
  }
  return { kind: "valid", value: { price: price.value, salePrice: stated, sale } };
}

function readPrice(intake: Intake): Needed<Money> {
  const text = given(intake, "price");
  if (text === undefined) return reject(intake, "missing_price", "price", "The item has no price.");
  const named = given(intake, "currency");
  const currency =
    named === undefined ? intake.settings.currency : codeNamed(named, intake.settings.currency);
  const price = parseMoney(text, { currency, decimalMark: intake.decimalMark });
  if (price.kind === "invalid") {
    if (price.reason === "missing_currency" && named !== undefined)
      return reject(
        intake,
        "invalid_currency",
        "currency",
        `The currency ${quoted(named)} is not in ISO 4217.`,
      );
    const message = `The price ${quoted(text)} ${MONEY_PROBLEMS[price.reason]}.`;
    return reject(intake, REJECTIONS[price.reason], "price", message);
  }
  if (named !== undefined && price.value.currency !== currency)
    warn(
      intake,
      "currency_conflict",
      "currency",
      `currency ${quoted(named)} is not that of price ${quoted(text)}.`,
    );
  if (isZero(price.value)) warn(intake, "zero_price", "price", `price ${quoted(text)} is zero.`);
  return price;
}

function codeNamed(token: string, expected: string | undefined): string | undefined {
  const named = nameCurrency(token, expected);
  return named.kind === "named" ? named.code : undefined;
}

function readSalePrice(intake: Intake, price: Money): Money | undefined {
  const text = given(intake, "salePrice");
  if (text === undefined) return undefined;
  const sale = parseMoney(text, hintsBeside(intake, price));
  if (sale.kind === "invalid")
    return leaveOut(intake, "invalid_sale_price", "salePrice", {
      value: text,
      problem: MONEY_PROBLEMS[sale.reason],
    });
  if (sale.value.currency !== price.currency)
    return leaveOut(intake, "currency_differs", "salePrice", {
      value: text,
      problem: `is not in ${price.currency}`,
    });
  if (isZero(sale.value) && !hasSaleDates(intake))
    return leaveOut(intake, "invalid_sale_price", "salePrice", { value: text, problem: "is zero" });
  if (compareMoney(sale.value, price) < 0) return sale.value;
  const problem = `is not lower than the price ${formatMoney(price)}`;
  return leaveOut(intake, "sale_price_not_lower", "salePrice", { value: text, problem });
}

/**
 * Whether a shop scheduled the sale. A scheduled sale at zero is a gift for some days, and is kept. Without dates,
 * or with Google's interval, zero is how files say that there is no sale.
 */
function hasSaleDates(intake: Intake): boolean {
  if (given(intake, "saleWindow") !== undefined) return false;
  return given(intake, "saleFrom") !== undefined || given(intake, "saleTo") !== undefined;
}

/** The price now beside a higher list price. Nothing is free by comparison, so a price of zero stays what it is. */
function readComparison(intake: Intake, price: Money): PricesSaid {
  const text = given(intake, "listPrice");
  if (text === undefined) return { price };
  const list = parseMoney(text, hintsBeside(intake, price));
  if (list.kind === "invalid") {
    leaveOut(intake, "invalid_list_price", "listPrice", {
      value: text,
      problem: MONEY_PROBLEMS[list.reason],
    });
    return { price };
  }
  if (list.value.currency !== price.currency) {
    leaveOut(intake, "currency_differs", "listPrice", {
      value: text,
      problem: `is not in ${price.currency}`,
    });
    return { price };
  }
  const isHigher = compareMoney(list.value, price) > 0 && !isZero(price);
  return isHigher ? { price: list.value, salePrice: price, isList: true } : { price };
}

function hintsBeside(intake: Intake, price: Money): MoneyHints {
  return { currency: price.currency, decimalMark: intake.decimalMark };
}

/** When the sale runs: `{}` for always, undefined when that cannot be read. */
function readSaleWindow(intake: Intake): Interval | undefined {
  const whole = given(intake, "saleWindow");
  const from = given(intake, "saleFrom");
  const to = given(intake, "saleTo");
  const value = whole ?? [from, to].filter((end) => end !== undefined).join("/");
  if (value === "") return {};
  const window: Checked<Interval, DateProblem> =
    whole === undefined ? toInterval(endOf(from, "start"), endOf(to, "end")) : parseInterval(whole);
  if (window.kind === "valid") return window.value;
  const problem = `${DATE_PROBLEMS[window.reason]}, so the sale price is left out`;
  return leaveOut(intake, "invalid_sale_window", "saleWindow", { value, problem });
}

function endOf(text: string | undefined, edge: "start" | "end"): Checked<string, DateProblem> | undefined {
  return text === undefined ? undefined : parseInstant(text, edge);
}
