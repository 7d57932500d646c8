/** The rules for OpenAI's flat rows, in `acp.csv` and in `acp.json`. The documentation prints this table. */
import { limitOf, shownNumber } from "../../kit/field-table.ts";
import {
  error,
  info,
  mildly,
  type FindingRule,
  warning,
  type Findings,
} from "../../kit/validate/findings.ts";
import type { RowCheck } from "../../kit/validate/row.ts";
import { OPENAI_FIELD_TABLE as TABLE } from "../fields.ts";

const chars = (name: "item_id" | "title" | "description" | "brand"): string =>
  `${shownNumber(limitOf(TABLE.fields[name]))} characters`;

export const OPENAI_RULES = {
  // the file
  "FILE-UTF8": error(
    "The file is not UTF-8.",
    mildly("warning", "for a byte order mark, which not every reader takes"),
  ),
  "FILE-HDR": error("The header row lacks a required column, or has a name twice or an empty one."),
  "FILE-CELLS": error(
    "The row does not have as many cells as the header, so it cannot be split into columns.",
  ),
  "FILE-QUOTE": error(
    "There is text after a closing quote, or a quote is never closed.",
    mildly(
      "warning",
      "for a quote in the middle of a value that is not in quotes, which not every reader takes",
    ),
  ),
  "FILE-JSON": error("The text breaks the rules of JSON."),
  "FILE-SHAPE": error("The document does not hold a list of flat product rows."),
  "FILE-CTRL": error(
    "The text has null characters: the file is not text at all, or was damaged.",
    mildly("warning", "for other control characters"),
  ),
  "FILE-LONG": error("The row is too long to be read: more than a million characters, in JSON 32 million."),
  "FILE-SIZE": warning("The file has more than 500,000 rows or 500 MB; OpenAI asks for smaller parts."),
  "FILE-EMPTY": error("The file has no rows."),
  "FILE-IDS": info(
    "The file has more than two million ids; duplicates among the later ones are not looked for.",
  ),
  COLUMN: info("OpenAI documents no such field; it is ignored."),
  OLD: warning("The name is of an older revision: it is only an alias now, or not read any more."),
  MIX: warning(
    "The file has both `url` and Google's `link`: OpenAI's format wins and Google's meanings are lost.",
  ),
  "ADS-NAME": warning("`is_ads_enabled` is never read; the name is `is_ads_eligible`."),
  ALIAS: warning("Two names for one value disagree, and only one of them counts."),
  TYPE: error(
    "The JSON value has another type than the field.",
    mildly("warning", "where the field is optional, or the value can be read all the same"),
  ),
  // required values
  REQ: error("A required field has no value."),
  PH: error("The value is a filler word.", mildly("warning", "in an optional field or an id")),
  // identity
  "ID-UNIQ": error("More than one row has this id."),
  "ID-LEN": warning(`The id is longer than ${chars("item_id")}.`),
  OFFER: warning("The offer id is not unique, or contains the price."),
  GTIN: warning("The GTIN does not have 8, 12, 13 or 14 digits with a right check digit."),
  "GTIN-DUP": warning("Two rows of one seller have the same GTIN."),
  IDENT: info("The row has neither a GTIN nor a manufacturer part number."),
  // texts
  "TITLE-LEN": warning(`The title is longer than ${chars("title")}.`),
  "TITLE-CAPS": warning("The title is all in capitals."),
  "TEXT-ENCODING": warning("The title or the description was read in a wrong encoding on its way here."),
  "DESC-LEN": warning(`The description is longer than ${chars("description")}.`),
  "DESC-HTML": warning("The description has markup or undecoded entities; it is shown as plain text."),
  "BRAND-LEN": warning(`The name or part number is longer than ${chars("brand")}.`),
  "TEXT-LEN": warning("The text is longer than older revisions allowed."),
  ENUM: warning("The value is not one of those the field takes, and counts as absent."),
  // links and images
  URL: error("The address cannot be followed from the open web.", mildly("warning", "in an optional field")),
  "URL-HTTPS": info("The address is not https."),
  "IMG-TYPE": warning("The image is not a JPEG or PNG by its name."),
  IMGS: warning(
    "The further images are not a list of addresses separated by commas, or repeat the main image.",
  ),
  // the offer
  MONEY: error(
    "The amount is not written like `18.00 USD`.",
    mildly("warning", "for any amount but `price`, and for some of the currency's decimals only"),
  ),
  "PRICE-POS": error("The price is zero."),
  "CUR-ONE": warning("The price is in another currency than the rows before it."),
  SALE: warning("The sale price is not above zero, below the price and in its currency, and is not used."),
  SHIP: warning(
    "The shipping charge cannot be used.",
    mildly("info", "for handling and transit days after the price, which are not read any more"),
  ),
  AVAIL: error("The availability is none of the five words OpenAI knows; the row is rejected."),
  // flags
  BOOL: error(
    "The flag is neither `true` nor `false`, in lower case; in JSON it is not a string.",
    mildly("warning", "for anything but the eligibility flags"),
  ),
  CHK: warning("Checkout needs search to be on, and the addresses of the privacy policy and the terms."),
  // variants
  "GRP-1": warning("The options are ignored without `listing_has_variations` and a group id of its own."),
  "GRP-2": warning("The group id is also an item id, so the grouping is lost."),
  "GRP-3": warning("The rows of the group do not name the same options."),
  "GRP-4": warning("Two rows of the group have the same options with the same values."),
  "GRP-5": info("The group has a single row."),
  "GRP-ADJ": info("The group's rows are not next to each other; rows that are apart are not compared."),
  VD: warning("The options are not an object of texts without empty names or values."),
  "VD-ATTR": warning("The attribute differs from the option of the same name."),
  // measures, returns, reviews, markets
  DIM: warning(
    "The dimensions are not an object of at least two positive axes and a unit, without other keys.",
  ),
  "DIM-SEP": warning("Separate axes need a second one and `dimensions_unit`."),
  WEIGHT: warning("The weight is not a positive number, or has no `item_weight_unit`."),
  RET: warning("The return window is not a positive number of days with `accepts_returns` true."),
  REV: warning("The rating is not from 0 to 5 with two decimals, or lacks a positive count."),
  GEO: warning(
    "The country is not an upper-case ISO 3166 code.",
    mildly("info", "for a market other than US, CA and MX, which a standard upload does not reach"),
  ),
} as const satisfies Record<string, FindingRule>;

export type OpenaiRule = keyof typeof OPENAI_RULES;
export type OpenaiFindings = Findings<OpenaiRule>;
export type OpenaiCheck = RowCheck<OpenaiRule>;
