/** Checks of required values, price, shipping, identifiers, measures, images, returns, reviews and markets of a row. */
import { checkGtin, GTIN_PROBLEMS } from "../../../catalog/gtin.ts";
import { readCountry } from "../../../catalog/vocabulary/places.ts";
import { compareDecimals, isPositiveDecimal, moneyIn } from "../../kit/validate/checks/money.ts";
import { addressFault } from "../../kit/validate/checks/url.ts";
import { checkText } from "../../kit/validate/row.ts";
import { OPENAI_FIELDS, REQUIRED } from "./names.ts";
import type { OpenaiCheck } from "./rules.ts";

const checkRequired: OpenaiCheck = (row, findings) => {
  for (const { name } of REQUIRED)
    if (!row.has(name) && !row.absent.has(name))
      findings.add("REQ", { field: name, detail: `The row has no \`${name}\`.` });
};

/** The shortest and longest handling and transit times that followed the price until 2026-08. */
const MAX_SHIPPING_DAYS = 4;

const checkCheckout: OpenaiCheck = (row, findings) => {
  if (!row.isTrue("is_eligible_checkout")) return;
  if (!row.isTrue("is_eligible_search")) findings.add("CHK", { field: "is_eligible_search" });
  for (const field of ["seller_privacy_policy", "seller_tos"])
    if (!row.has(field)) findings.add("CHK", { field });
};

const checkIdentifiers: OpenaiCheck = (row, findings) => {
  if (row.text("gtin") === undefined && !row.has("mpn")) findings.add("IDENT", { field: "gtin" });
};

const { parts: PARTS = [], values: UNITS = [] } = OPENAI_FIELDS.get("dimensions") ?? {};
const AXES = PARTS.filter((part) => part !== "unit");

function dimensionFault(key: string, value: string): string | undefined {
  if (!PARTS.includes(key)) return "have a key that is not read";
  if (key !== "unit") return isPositiveDecimal(value) ? undefined : "have an axis that is not positive";
  return UNITS.includes(value) ? undefined : "have a unit that is not read";
}

const checkDimensions: OpenaiCheck = (row, findings) => {
  const [dimensions] = row.groups("dimensions");
  if (dimensions === undefined) return;
  const add = (key: string, value: string | undefined, fault: string) =>
    findings.add("DIM", { field: `dimensions.${key}`, value, detail: `The dimensions ${fault}.` });
  for (const [key, value] of dimensions) {
    const fault = dimensionFault(key, value);
    if (fault !== undefined) add(key, value, fault);
  }
  if (AXES.filter((axis) => dimensions.has(axis)).length < 2)
    add("length", undefined, "have fewer than two axes");
  if (!dimensions.has("unit")) add("unit", undefined, "have no unit");
};

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

const checkWeightUnit: OpenaiCheck = (row, findings) => {
  if (row.text("weight") !== undefined && !row.has("item_weight_unit"))
    findings.add("WEIGHT", { field: "item_weight_unit" });
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

const INTEGER = /^(?:0|[1-9]\d{0,8})$/;
const RATING = /^(?:[0-4]\.\d\d|5\.00)$/;

const checkReviews: OpenaiCheck = (row, findings) => {
  for (const prefix of ["", "store_"]) {
    const [countField, field] = [`${prefix}review_count`, `${prefix}star_rating`];
    const count = row.text(countField);
    const value = row.text(field);
    const isCount = count !== undefined && INTEGER.test(count);
    if (count !== undefined && !isCount)
      findings.add("REV", { field: countField, value: count, detail: "The count is not a whole number." });
    if (value === undefined) continue;
    if (!RATING.test(value)) findings.add("REV", { field, value });
    if (!isCount || count === "0")
      findings.add("REV", { field, value, detail: "The rating has no positive count." });
  }
};

/** The markets that OpenAI's shared format represents. */
const MARKETS = new Set(["US", "CA", "MX"]);

const checkMarkets: OpenaiCheck = (row, findings) => {
  const detail = "A standard upload is for the US, whatever countries the rows have.";
  for (const field of ["target_countries", "store_country"]) {
    for (const value of [...row.list(field), row.text(field)]) {
      if (value === undefined) continue;
      if (readCountry(value) !== value) findings.add("GEO", { field, value });
      else if (!MARKETS.has(value)) findings.add("GEO", { field, value, detail, isMild: true });
    }
  }
};

export const OFFER_CHECKS: readonly OpenaiCheck[] = [
  checkRequired,
  checkText("price", (value, add) => {
    const price = moneyIn(value);
    if (price !== undefined && !isPositiveDecimal(price.amount)) add("PRICE-POS");
  }),
  checkText("sale_price", (value, add, row) => {
    const sale = moneyIn(value);
    const price = moneyIn(row.text("price"));
    if (sale === undefined || price === undefined) return;
    const addFault = (fault: string) => add("SALE", { detail: `The sale price ${fault}.` });
    if (sale.currency !== price.currency) addFault(`is not in the price's currency, ${price.currency}`);
    else if (!isPositiveDecimal(sale.amount)) addFault("is zero");
    else if (compareDecimals(sale.amount, price.amount) >= 0)
      addFault(`is not below the price of ${price.amount}`);
  }),
  checkText("shipping_price", (value, add, row) => {
    if (row.has("shipping")) add("SHIP", { detail: "`shipping` and `shipping_price` exclude each other." });
    const shipping = moneyIn(value);
    const price = moneyIn(row.text("price"));
    if (shipping !== undefined && price !== undefined && shipping.currency !== price.currency)
      add("SHIP", { detail: "The charge is not in the price's currency." });
  }),
  checkText("shipping", (value, add) => {
    const [country = "", , , price = "", ...days] = value.split(":");
    const isValid =
      readCountry(country) === country &&
      moneyIn(price) !== undefined &&
      days.length <= MAX_SHIPPING_DAYS &&
      days.every((part) => /^\d*$/.test(part));
    if (!isValid)
      add("SHIP", {
        detail: "The value is not `country:region:service:price`, with an ISO country and an amount.",
      });
    else if (days.length > 0)
      add("SHIP", {
        detail: "The days after the price are of an older revision, and are not read any more.",
        isMild: true,
      });
  }),
  checkCheckout,
  checkIdentifiers,
  checkText("gtin", (gtin, add) => {
    const checked = checkGtin(gtin);
    if (checked.kind === "valid" && checked.gtin === gtin) return;
    const fault =
      checked.kind === "invalid" ? GTIN_PROBLEMS[checked.reason] : `is another spelling of ${checked.gtin}`;
    add("GTIN", { detail: `The GTIN ${fault}.` });
  }),
  // Ids may contain any whole number by chance; a number with decimals is the price.
  checkText("offer_id", (id, add, row) => {
    const amount = moneyIn(row.text("price"))?.amount;
    if (amount?.includes(".") === true && id.includes(amount))
      add("OFFER", { detail: `The offer id contains the price, ${amount}.` });
  }),
];

export const DETAIL_CHECKS: readonly OpenaiCheck[] = [
  checkDimensions,
  checkAxes,
  checkText("weight", (weight, add) => {
    if (!isPositiveDecimal(weight)) add("WEIGHT");
  }),
  checkWeightUnit,
  checkImages,
  checkText("return_deadline_in_days", (days, add, row) => {
    if (!INTEGER.test(days) || days === "0")
      add("RET", { detail: "The return window is not a positive number of days." });
    if (!row.isTrue("accepts_returns"))
      add("RET", { detail: "A return window counts only with `accepts_returns` true." });
  }),
  checkReviews,
  checkMarkets,
];
