/** Measures, images, returns, reviews and markets of a row. */
import { readCountry } from "../../../catalog/vocabulary/places.ts";
import { isPositiveDecimal } from "../../kit/validate/checks/money.ts";
import { addressFault } from "../../kit/validate/checks/url.ts";
import { OPENAI_FIELDS } from "./names.ts";
import type { OpenaiFindings, RowCheck } from "./row.ts";

const AXES = ["length", "width", "height"] as const;
const DIMENSIONS = OPENAI_FIELDS.get("dimensions");
const INTEGER = /^(?:0|[1-9]\d{0,8})$/;
const RATING = /^(?:[0-4]\.\d\d|5\.00)$/;
/** The markets that OpenAI's shared format represents. */
const MARKETS = new Set(["US", "CA", "MX"]);

function sayDimensions(
  findings: OpenaiFindings,
  key: string,
  value: string | undefined,
  fault: string,
): void {
  findings.say("DIM", { field: `dimensions.${key}`, value, detail: `The dimensions ${fault}.` });
}

const checkDimensions: RowCheck = (row, findings) => {
  const given = row.object("dimensions");
  if (given === undefined) return;
  for (const [key, value] of given) sayDimension(key, value, findings);
  if (AXES.filter((axis) => given.has(axis)).length < 2)
    sayDimensions(findings, "length", undefined, "have fewer than two axes");
  if (!given.has("unit")) sayDimensions(findings, "unit", undefined, "have no unit");
};

function sayDimension(key: string, value: string, findings: OpenaiFindings): void {
  if (DIMENSIONS?.parts?.includes(key) !== true)
    sayDimensions(findings, key, value, "have a key that is not read");
  else if (key !== "unit") {
    if (!isPositiveDecimal(value)) sayDimensions(findings, key, value, "have an axis that is not positive");
  } else if (DIMENSIONS.values?.includes(value) !== true)
    sayDimensions(findings, key, value, "have a unit that is not read");
}

const checkAxes: RowCheck = (row, findings) => {
  const axes = AXES.filter((axis) => row.has(axis));
  if (axes.length === 0) return;
  if (axes.length === 1) findings.say("DIM-SEP", { field: axes[0], detail: "One axis alone is not used." });
  if (!row.has("dimensions_unit")) findings.say("DIM-SEP", { field: "dimensions_unit" });
  for (const axis of axes) {
    const value = row.text(axis) ?? "";
    if (!isPositiveDecimal(value))
      findings.say("DIM-SEP", { field: axis, value, detail: "The axis is not a positive number." });
  }
};

const checkWeight: RowCheck = (row, findings) => {
  const value = row.text("weight");
  if (value === undefined) return;
  if (!isPositiveDecimal(value)) findings.say("WEIGHT", { field: "weight", value });
  if (!row.has("item_weight_unit")) findings.say("WEIGHT", { field: "item_weight_unit" });
};

const checkImages: RowCheck = (row, findings) => {
  const field = "additional_image_urls";
  for (const value of row.list(field) ?? []) {
    const isJoined = /;\s*https?:/i.test(value);
    const fault = isJoined ? "is several, separated by semicolons" : addressFault(value);
    if (fault !== undefined) findings.say("IMGS", { field, value, detail: `The address ${fault}.` });
    else if (value === row.text("image_url"))
      findings.say("IMGS", { field, value, detail: "The main image is repeated." });
  }
};

const checkReturns: RowCheck = (row, findings) => {
  const field = "return_deadline_in_days";
  const value = row.text(field);
  if (value === undefined) return;
  if (!INTEGER.test(value) || value === "0")
    findings.say("RET", { field, value, detail: "The return window is not a positive number of days." });
  if (!row.isTrue("accepts_returns"))
    findings.say("RET", { field, value, detail: "A return window counts only with `accepts_returns` true." });
};

const checkReviews: RowCheck = (row, findings) => {
  for (const prefix of ["", "store_"]) {
    const [countField, ratingField] = [`${prefix}review_count`, `${prefix}star_rating`];
    const count = row.text(countField);
    const rating = row.text(ratingField);
    const isCount = count !== undefined && INTEGER.test(count);
    if (count !== undefined && !isCount)
      findings.say("REV", { field: countField, value: count, detail: "The count is not a whole number." });
    if (rating === undefined) continue;
    if (!RATING.test(rating)) findings.say("REV", { field: ratingField, value: rating });
    if (!isCount || count === "0")
      findings.say("REV", { field: ratingField, value: rating, detail: "The rating has no positive count." });
  }
};

const checkMarkets: RowCheck = (row, findings) => {
  for (const field of ["target_countries", "store_country"]) {
    const codes = row.list(field) ?? [row.text(field)];
    for (const value of codes) {
      if (value === undefined) continue;
      if (readCountry(value) !== value) findings.say("GEO", { field, value });
      else if (!MARKETS.has(value))
        findings.say("GEO", {
          field,
          value,
          detail: "A standard upload is for the US, whatever the rows say.",
          isMild: true,
        });
    }
  }
};

export const DETAIL_CHECKS: readonly RowCheck[] = [
  checkDimensions,
  checkAxes,
  checkWeight,
  checkImages,
  checkReturns,
  checkReviews,
  checkMarkets,
];
