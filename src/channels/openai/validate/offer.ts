/** Checks of required values, price, shipping, identifiers, measures, images, returns, reviews and markets of a row. */
import { checkGtin, GTIN_PROBLEMS } from "../../../catalog/gtin.ts";
import { readCountry } from "../../../catalog/vocabulary/places.ts";
import { compareDecimals, isPositiveDecimal, moneyIn } from "../../kit/validate/checks/money.ts";
import { addressFault } from "../../kit/validate/checks/url.ts";
import { OPENAI_FIELDS, REQUIRED } from "./names.ts";
import type { OpenaiCheck, OpenaiFindings } from "./rules.ts";

const checkRequired: OpenaiCheck = (row, findings) => {
  for (const { name } of REQUIRED) {
    const isMissing = !row.has(name) && !row.absent.has(name);
    if (isMissing) findings.add("REQ", { field: name, detail: `The row has no \`${name}\`.` });
  }
};

const checkPrice: OpenaiCheck = (row, findings) => {
  const text = row.text("price");
  const price = moneyIn(text);
  if (price !== undefined && !isPositiveDecimal(price.amount))
    findings.add("PRICE-POS", { field: "price", value: text });
};

const checkSale: OpenaiCheck = (row, findings) => {
  const text = row.text("sale_price");
  const sale = moneyIn(text);
  const price = moneyIn(row.text("price"));
  if (sale === undefined || price === undefined) return;
  const add = (fault: string) =>
    findings.add("SALE", { field: "sale_price", value: text, detail: `The sale price ${fault}.` });
  if (sale.currency !== price.currency) add(`is not in the price's currency, ${price.currency}`);
  else if (!isPositiveDecimal(sale.amount)) add("is zero");
  else if (compareDecimals(sale.amount, price.amount) >= 0) add(`is not below the price of ${price.amount}`);
};

const checkShippingPrice: OpenaiCheck = (row, findings) => {
  const text = row.text("shipping_price");
  if (text === undefined) return;
  const field = "shipping_price";
  if (row.has("shipping"))
    findings.add("SHIP", {
      field,
      value: text,
      detail: "`shipping` and `shipping_price` exclude each other.",
    });
  const shipping = moneyIn(text);
  const price = moneyIn(row.text("price"));
  if (shipping !== undefined && price !== undefined && shipping.currency !== price.currency)
    findings.add("SHIP", { field, value: text, detail: "The charge is not in the price's currency." });
};

/** The shortest and longest handling and transit times that followed the price until 2026-08. */
const MOST_SHIPPING_DAYS = 4;

const checkShippingTuple: OpenaiCheck = (row, findings) => {
  const value = row.text("shipping");
  if (value === undefined) return;
  const [country = "", , , price = "", ...days] = value.split(":");
  const isValid =
    readCountry(country) === country &&
    moneyIn(price) !== undefined &&
    days.length <= MOST_SHIPPING_DAYS &&
    days.every((part) => /^\d*$/.test(part));
  if (isValid && days.length === 0) return;
  const detail = isValid
    ? "The days after the price are of an older revision, and are not read any more."
    : "The value is not `country:region:service:price`, with an ISO country and an amount.";
  findings.add("SHIP", { field: "shipping", value, detail, isMild: isValid });
};

const checkCheckout: OpenaiCheck = (row, findings) => {
  if (!row.isTrue("is_eligible_checkout")) return;
  if (!row.isTrue("is_eligible_search")) findings.add("CHK", { field: "is_eligible_search" });
  for (const field of ["seller_privacy_policy", "seller_tos"])
    if (!row.has(field)) findings.add("CHK", { field });
};

const checkIdentifiers: OpenaiCheck = (row, findings) => {
  const gtin = row.text("gtin");
  if (gtin === undefined) {
    if (!row.has("mpn")) findings.add("IDENT", { field: "gtin" });
    return;
  }
  const checked = checkGtin(gtin);
  if (checked.kind === "valid" && checked.gtin === gtin) return;
  const fault =
    checked.kind === "invalid" ? GTIN_PROBLEMS[checked.reason] : `is another spelling of ${checked.gtin}`;
  findings.add("GTIN", { field: "gtin", value: gtin, detail: `The GTIN ${fault}.` });
};

/** Ids may hold any number by chance; one with decimals in it is the price. */
const checkOfferId: OpenaiCheck = (row, findings) => {
  const value = row.text("offer_id");
  const amount = moneyIn(row.text("price"))?.amount;
  if (value === undefined || amount?.includes(".") !== true || !value.includes(amount)) return;
  findings.add("OFFER", { field: "offer_id", value, detail: `The offer id contains the price, ${amount}.` });
};

export const OFFER_CHECKS: readonly OpenaiCheck[] = [
  checkRequired,
  checkPrice,
  checkSale,
  checkShippingPrice,
  checkShippingTuple,
  checkCheckout,
  checkIdentifiers,
  checkOfferId,
];

const AXES = ["length", "width", "height"] as const;
const DIMENSIONS = OPENAI_FIELDS.get("dimensions");
const INTEGER = /^(?:0|[1-9]\d{0,8})$/;
const RATING = /^(?:[0-4]\.\d\d|5\.00)$/;
/** The markets that OpenAI's shared format represents. */
const MARKETS = new Set(["US", "CA", "MX"]);

function addDimensions(
  findings: OpenaiFindings,
  key: string,
  value: string | undefined,
  fault: string,
): void {
  findings.add("DIM", { field: `dimensions.${key}`, value, detail: `The dimensions ${fault}.` });
}

const checkDimensions: OpenaiCheck = (row, findings) => {
  const dimensions = row.groups("dimensions")[0];
  if (dimensions === undefined) return;
  for (const [key, value] of dimensions) checkDimension(key, value, findings);
  if (AXES.filter((axis) => dimensions.has(axis)).length < 2)
    addDimensions(findings, "length", undefined, "have fewer than two axes");
  if (!dimensions.has("unit")) addDimensions(findings, "unit", undefined, "have no unit");
};

function checkDimension(key: string, value: string, findings: OpenaiFindings): void {
  if (DIMENSIONS?.parts?.includes(key) !== true)
    addDimensions(findings, key, value, "have a key that is not read");
  else if (key !== "unit") {
    if (!isPositiveDecimal(value)) addDimensions(findings, key, value, "have an axis that is not positive");
  } else if (DIMENSIONS.values?.includes(value) !== true)
    addDimensions(findings, key, value, "have a unit that is not read");
}

const checkAxes: OpenaiCheck = (row, findings) => {
  const axes = AXES.filter((axis) => row.has(axis));
  if (axes.length === 0) return;
  if (axes.length === 1) findings.add("DIM-SEP", { field: axes[0], detail: "One axis alone is not used." });
  if (!row.has("dimensions_unit")) findings.add("DIM-SEP", { field: "dimensions_unit" });
  for (const axis of axes) {
    const value = row.text(axis) ?? "";
    if (!isPositiveDecimal(value))
      findings.add("DIM-SEP", { field: axis, value, detail: "The axis is not a positive number." });
  }
};

const checkWeight: OpenaiCheck = (row, findings) => {
  const value = row.text("weight");
  if (value === undefined) return;
  if (!isPositiveDecimal(value)) findings.add("WEIGHT", { field: "weight", value });
  if (!row.has("item_weight_unit")) findings.add("WEIGHT", { field: "item_weight_unit" });
};

const checkImages: OpenaiCheck = (row, findings) => {
  const field = "additional_image_urls";
  for (const value of row.list(field)) {
    const isJoined = /;\s*https?:/i.test(value);
    const fault = isJoined ? "is several, separated by semicolons" : addressFault(value);
    if (fault !== undefined) findings.add("IMGS", { field, value, detail: `The address ${fault}.` });
    else if (value === row.text("image_url"))
      findings.add("IMGS", { field, value, detail: "The main image is repeated." });
  }
};

const checkReturns: OpenaiCheck = (row, findings) => {
  const field = "return_deadline_in_days";
  const value = row.text(field);
  if (value === undefined) return;
  if (!INTEGER.test(value) || value === "0")
    findings.add("RET", { field, value, detail: "The return window is not a positive number of days." });
  if (!row.isTrue("accepts_returns"))
    findings.add("RET", { field, value, detail: "A return window counts only with `accepts_returns` true." });
};

const checkReviews: OpenaiCheck = (row, findings) => {
  for (const prefix of ["", "store_"]) {
    const [countField, ratingField] = [`${prefix}review_count`, `${prefix}star_rating`];
    const count = row.text(countField);
    const rating = row.text(ratingField);
    const isCount = count !== undefined && INTEGER.test(count);
    if (count !== undefined && !isCount)
      findings.add("REV", { field: countField, value: count, detail: "The count is not a whole number." });
    if (rating === undefined) continue;
    if (!RATING.test(rating)) findings.add("REV", { field: ratingField, value: rating });
    if (!isCount || count === "0")
      findings.add("REV", { field: ratingField, value: rating, detail: "The rating has no positive count." });
  }
};

const checkMarkets: OpenaiCheck = (row, findings) => {
  for (const field of ["target_countries", "store_country"]) {
    const codes = [...row.list(field), row.text(field)];
    for (const value of codes) {
      if (value === undefined) continue;
      if (readCountry(value) !== value) findings.add("GEO", { field, value });
      else if (!MARKETS.has(value))
        findings.add("GEO", {
          field,
          value,
          detail: "A standard upload is for the US, whatever the rows say.",
          isMild: true,
        });
    }
  }
};

export const DETAIL_CHECKS: readonly OpenaiCheck[] = [
  checkDimensions,
  checkAxes,
  checkWeight,
  checkImages,
  checkReturns,
  checkReviews,
  checkMarkets,
];
