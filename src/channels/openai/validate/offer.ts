/** What the values of a row must be to one another: identity, price, flags. */
import { checkGtin, GTIN_PROBLEMS } from "../../../catalog/gtin.ts";
import { readCountry } from "../../../catalog/vocabulary/places.ts";
import { compareDecimals, isPositiveDecimal, readMoney } from "../../kit/validate/checks/money.ts";
import { REQUIRED } from "./names.ts";
import type { RowCheck } from "./row.ts";

const checkRequired: RowCheck = (row, findings) => {
  for (const { name } of REQUIRED) {
    const isMissing = !row.has(name) && !row.absent.has(name);
    if (isMissing) findings.say("REQ", { field: name, detail: `The row has no \`${name}\`.` });
  }
};

const checkPrice: RowCheck = (row, findings) => {
  const text = row.text("price");
  const price = text === undefined ? undefined : readMoney(text).money;
  if (price !== undefined && !isPositiveDecimal(price.amount))
    findings.say("PRICE-POS", { field: "price", value: text });
};

const checkSale: RowCheck = (row, findings) => {
  const text = row.text("sale_price");
  const sale = text === undefined ? undefined : readMoney(text).money;
  const price = readMoney(row.text("price") ?? "").money;
  if (sale === undefined || price === undefined) return;
  const say = (fault: string) =>
    findings.say("SALE", { field: "sale_price", value: text, detail: `The sale price ${fault}.` });
  if (sale.currency !== price.currency) say(`is not in the price's currency, ${price.currency}`);
  else if (!isPositiveDecimal(sale.amount)) say("is zero");
  else if (compareDecimals(sale.amount, price.amount) >= 0) say(`is not below the price of ${price.amount}`);
};

const checkShippingPrice: RowCheck = (row, findings) => {
  const text = row.text("shipping_price");
  if (text === undefined) return;
  const field = "shipping_price";
  if (row.has("shipping"))
    findings.say("SHIP", {
      field,
      value: text,
      detail: "`shipping` and `shipping_price` exclude each other.",
    });
  const shipping = readMoney(text).money;
  const price = readMoney(row.text("price") ?? "").money;
  if (shipping !== undefined && price !== undefined && shipping.currency !== price.currency)
    findings.say("SHIP", { field, value: text, detail: "The charge is not in the price's currency." });
};

/** The shortest and longest handling and transit times that followed the price until 2026-08. */
const MOST_SHIPPING_DAYS = 4;

const checkShippingTuple: RowCheck = (row, findings) => {
  const value = row.text("shipping");
  if (value === undefined) return;
  const [country = "", , , price = "", ...days] = value.split(":");
  const isWell =
    readCountry(country) === country &&
    readMoney(price).money !== undefined &&
    days.length <= MOST_SHIPPING_DAYS &&
    days.every((part) => /^\d*$/.test(part));
  if (isWell && days.length === 0) return;
  const detail = isWell
    ? "The days after the price are of an older revision, and are not read any more."
    : "The value is not `country:region:service:price`, with an ISO country and an amount.";
  findings.say("SHIP", { field: "shipping", value, detail, isMild: isWell });
};

const checkCheckout: RowCheck = (row, findings) => {
  if (!row.isTrue("is_eligible_checkout")) return;
  if (!row.isTrue("is_eligible_search")) findings.say("CHK", { field: "is_eligible_search" });
  for (const field of ["seller_privacy_policy", "seller_tos"])
    if (!row.has(field)) findings.say("CHK", { field });
};

const checkIdentifiers: RowCheck = (row, findings) => {
  const gtin = row.text("gtin");
  if (gtin === undefined) {
    if (!row.has("mpn")) findings.say("IDENT", { field: "gtin" });
    return;
  }
  const checked = checkGtin(gtin);
  if (checked.kind === "valid" && checked.gtin === gtin) return;
  const fault =
    checked.kind === "invalid" ? GTIN_PROBLEMS[checked.reason] : `is another spelling of ${checked.gtin}`;
  findings.say("GTIN", { field: "gtin", value: gtin, detail: `The GTIN ${fault}.` });
};

/** Ids may hold any number by chance; one with decimals in it is the price. */
const checkOfferId: RowCheck = (row, findings) => {
  const value = row.text("offer_id");
  const amount = readMoney(row.text("price") ?? "").money?.amount;
  if (value === undefined || amount?.includes(".") !== true || !value.includes(amount)) return;
  findings.say("OFFER", { field: "offer_id", value, detail: `The offer id contains the price, ${amount}.` });
};

export const OFFER_CHECKS: readonly RowCheck[] = [
  checkRequired,
  checkPrice,
  checkSale,
  checkShippingPrice,
  checkShippingTuple,
  checkCheckout,
  checkIdentifiers,
  checkOfferId,
];
