/**
 * The rules for Google Merchant Center's tab-separated file. Errors are what Google refuses or disapproves, warnings
 * what it drops or shows to fewer people. The documentation prints this table.
 */
import { type Field, limitOf, partLimitOf, shownNumber } from "../../kit/field-table.ts";
import {
  error,
  info,
  mildly,
  type FindingRule,
  warning,
  type Findings,
} from "../../kit/validate/findings.ts";
import type { RowCheck } from "../../kit/validate/row.ts";
import { COLOR_LIMITS, GOOGLE_FIELD_TABLE, type GoogleFieldName } from "../fields.ts";

export const FIELDS: Readonly<Record<GoogleFieldName, Field>> = GOOGLE_FIELD_TABLE.fields;

/** `150 characters`. */
const chars = (name: GoogleFieldName): string => `${shownNumber(limitOf(FIELDS[name]))} characters`;

const partChars = (name: GoogleFieldName, part: string): string =>
  shownNumber(partLimitOf(FIELDS[name], part));

/** Attributes with a closed list of words; each has a rule of its own. */
export const WORD_ATTRIBUTES = [
  "condition",
  "adult",
  "age_group",
  "gender",
  "size_type",
  "size_system",
  "identifier_exists",
  "is_bundle",
  "energy_efficiency_class",
  "min_energy_efficiency_class",
  "max_energy_efficiency_class",
  "pause",
  "excluded_destination",
  "included_destination",
] as const;
export type WordAttribute = (typeof WORD_ATTRIBUTES)[number];

/** Google's samples have `in stock` where its specification has `in_stock`; both are read. */
const otherSpelling = mildly("info", "where only spaces, underscores or hyphens differ");

const wordRules = Object.fromEntries(
  WORD_ATTRIBUTES.map((name) => [
    `gmc.enum.${name}`,
    error(`The value of \`${name}\` is not one Google knows.`, otherSpelling),
  ]),
) as Readonly<Record<`gmc.enum.${WordAttribute}`, FindingRule>>;

export const GOOGLE_RULES = {
  // the file
  "gmc.file.empty": error("The file has no rows."),
  "gmc.file.cells": error(
    "The row does not have as many cells as the header, so it cannot be split into columns.",
  ),
  "gmc.file.size": error(
    "The file has more than 4 GB.",
    mildly("warning", "from 1 GB on, which older limits forbid"),
  ),
  "gmc.file.items": warning("The file has more than 150,000 rows, which is an account's default limit."),
  "gmc.file.encoding": warning("The file is not plain UTF-8; Google has to guess how to read it."),
  "gmc.file.long": error("The row is too long to be read: more than a million characters."),
  "gmc.file.ids": info(
    "The file has more than two million ids; duplicates among the later ones are not looked for.",
  ),
  "gmc.file.header.missing": error("The header lacks a column that every item needs."),
  "gmc.file.header.unknown": info("Google documents no such attribute; the column is ignored."),
  "gmc.file.header.duplicate": warning("Two columns have the same name, and the attribute takes one value."),
  "gmc.file.header.spelling": info(
    "The name is not spelled as in Google's specification: lower case, underscores, no prefix.",
  ),
  "gmc.file.delimiter": warning(
    "The cells are not separated by tabs, as Google's text files are.",
    mildly("info", "for commas, pipes and tildes"),
  ),
  "gmc.file.header.part": warning("The header names a sub-attribute that Google does not document."),
  "gmc.file.header.order": info(
    "The header names no sub-attributes, and Google's default order is ambiguous.",
  ),
  "tsv.quote.stray": error(
    "There is text after a closing quote, or a quote is never closed.",
    mildly("info", "for a quote in the middle of a value that is not in quotes"),
  ),
  "tsv.parts": error("A group has more sub-values than the header names; a colon in a value needs quotes."),
  "tsv.control": error("The row has control characters."),
  "gmc.xml.malformed": error("The XML is not well-formed; such a file is refused."),
  "gmc.xml.namespace": error(
    "An attribute's prefix is not declared, or is not declared as Google's namespace, `http://base.google.com/ns/1.0`.",
  ),
  "gmc.xml.plain": warning("The attribute is not in Google's namespace."),
  "gmc.xml.group": warning(
    "The attribute has sub-attributes, and each of them is an element of its own in XML.",
  ),
  "gmc.xml.nested": error("The text has elements in it; escape markup, or put it into CDATA."),
  "tsv.newline": info("A cell has a line break; only readers with quoted fields switched on take it."),
  // the item: id, texts, links and images
  "gmc.id.missing": error("The item has no id."),
  "gmc.id.length": error(`The id is longer than ${chars("id")}.`),
  "gmc.id.duplicate": error("More than one row has this id."),
  "gmc.id.whitespace": warning("The id has white space at its ends or twice in a row, which Google folds."),
  "gmc.id.nonascii": info("The id has characters beyond ASCII."),
  "gmc.title.missing": error("The item has no title."),
  "gmc.title.both": error("The item has both `title` and `structured_title`."),
  "gmc.title.long": warning(`The title is longer than ${chars("title")}, and is cut.`),
  "gmc.title.caps": warning("Most of the title is in capitals."),
  "gmc.title.promo": warning("The title has promotional text."),
  "gmc.title.html": warning("The title has markup or undecoded entities."),
  "gmc.title.variant": info("The title does not name an option that tells the variant apart."),
  "gmc.title.brand": info("The title does not name the brand."),
  "gmc.desc.missing": error("The item has no description."),
  "gmc.desc.long": warning(`The description is longer than ${chars("description")}, and is cut.`),
  "gmc.desc.short": info("The description is shorter than 50 characters."),
  "gmc.desc.html": info("The description has markup beyond simple formatting, or undecoded entities."),
  "gmc.desc.link": warning("The description has a web or e-mail address."),
  "gmc.desc.promo": warning("The description has promotional text."),
  "gmc.desc.sameastitle": info("The description is the title."),
  "gmc.text.mojibake": warning("The text was read in a wrong encoding on its way here."),
  "gmc.text.placeholder": warning("The text was left behind by a template or a program."),
  "gmc.text.long": warning("The text is longer than Google takes."),
  "gmc.label.length": warning(`The label is longer than ${chars("custom_label_0")}.`),
  "gmc.producttype.long": warning(`The product type is longer than ${chars("product_type")}.`),
  "gmc.link.missing": error("The item has no link."),
  "gmc.link.invalid": error("The link cannot be followed.", mildly("warning", "in an optional attribute")),
  "gmc.link.shared": warning("Variants of a group have the same link, so none can be preselected."),
  "gmc.link.http": info("The link is not https."),
  "gmc.image.missing": error("The item has no image."),
  "gmc.image.invalid": error(
    "The image's address cannot be followed.",
    mildly("warning", "for a further image"),
  ),
  "gmc.image.ext": warning("The image is of a type that Google does not take."),
  "gmc.image.placeholder": error("The image is a placeholder by its name."),
  "gmc.image.few": info("The item has a single image."),
  "gmc.image.extra": warning("The item has more than ten further images; the rest is not used."),
  "gmc.image.dup": info("An image is listed twice."),
  "gmc.image.samecolor": warning("Variants of different colors have the same image."),
  // the offer, identifiers and categories
  "gmc.price.missing": error("The item has no price."),
  "gmc.price.format": error("The amount is not written like `15.00 USD`."),
  "gmc.price.zero": error("The price is zero; Google takes it for contracts and subscriptions only."),
  "gmc.price.currency": error("The currency is not in ISO 4217."),
  "gmc.price.mixed": warning("The price is in another currency than the first price of the file."),
  "gmc.price.precision": warning("The amount has more decimals than its currency, or some of them only."),
  "gmc.sale.notlower": error("The sale price is not above zero and below the price."),
  "gmc.sale.currency": error("The sale price is not in the price's currency."),
  "gmc.sale.interval": error("The sale's interval is not two ISO 8601 times, the first before the second."),
  "gmc.sale.expired": warning("The sale is over."),
  "gmc.sale.nodates": info("The sale price has no interval, so it applies for ever."),
  "gmc.avail.missing": error("The item has no availability."),
  "gmc.avail.enum": error("The availability is none of Google's four words.", otherSpelling),
  "gmc.avail.date": error("A pre-order has no availability date.", mildly("warning", "for a backorder")),
  "gmc.avail.dateformat": error("The date is not an ISO 8601 time of at most 25 characters."),
  "gmc.avail.datepast": warning("The availability date has passed."),
  "gmc.avail.datefar": warning("The availability date is more than a year ahead."),
  "gmc.expire.past": error("The expiration date has passed, so the item is not shown."),
  "gmc.expire.far": warning("The expiration date is more than 30 days ahead."),
  "gmc.unit.format": warning("The measure is not a positive number with one of Google's units."),
  "gmc.unit.base": warning("The base measure is none that Google takes."),
  "gmc.unit.pair": warning("The base measure has no measure."),
  "gmc.unit.family": warning("Measure and base measure are of different kinds."),
  "gmc.gtin.chars": error(
    "The GTIN has characters other than digits.",
    mildly("info", "for spaces and dashes, which Google ignores"),
  ),
  "gmc.gtin.length": error(
    "The GTIN does not have 8, 12, 13 or 14 digits.",
    mildly("warning", "for an ISBN of ten digits, which Google still reads"),
  ),
  "gmc.gtin.checksum": error("The GTIN has a wrong check digit."),
  "gmc.gtin.restricted": warning("The GTIN is from a range for use inside one shop or for variable measure."),
  "gmc.gtin.coupon": warning("The GTIN is from a range for coupons."),
  "gmc.gtin.shared": warning("Two items have the same GTIN."),
  "gmc.gtin.missing": warning("The item has no GTIN and does not declare that none exists."),
  "gmc.brand.missing": warning(
    "The item has no brand; only films, books, recordings and unbranded goods need none.",
  ),
  "gmc.brand.invalid": error("The brand is a word that Google does not accept as a brand."),
  "gmc.brand.long": warning(`The brand is longer than ${chars("brand")}.`),
  "gmc.mpn.missing": warning("The item has neither a GTIN nor a manufacturer part number."),
  "gmc.mpn.issku": info("The manufacturer part number is the item's own id."),
  "gmc.idexists.contradiction": error("The item is declared to have no identifiers, but has some."),
  "gmc.category.unknown": warning("The Google category is neither a number nor a path of Google's taxonomy."),
  "gmc.category.unchecked": info(
    "The Google category is a path that cannot be checked: it is in none of the languages whose names are known here.",
  ),
  "gmc.category.missing": info("The item has no Google category."),
  "gmc.category.shallow": info("The Google category is a top-level one, which is too broad."),
  // apparel and variants
  "gmc.apparel.color": warning("Apparel or an accessory has no color."),
  "gmc.apparel.size": warning("Clothing or shoes have no size."),
  "gmc.apparel.gender": warning("Apparel or an accessory has no gender."),
  "gmc.apparel.age_group": warning("Apparel or an accessory has no age group."),
  "gmc.color.value": warning("The color is none that Google takes: a number, a code, a letter or a filler."),
  "gmc.color.toomany": warning(
    `The color has more than ${COLOR_LIMITS.colors} parts, or one of more than ${COLOR_LIMITS.codePoints} characters.`,
  ),
  "gmc.value.many": warning("A comma makes two values of one that Google takes single."),
  "gmc.group.missing": warning("The item has variant options and no group."),
  "gmc.group.single": info("The group has a single item."),
  "gmc.group.parentrow": error("A row has the id of a group: the parent itself is not an item."),
  "gmc.group.duplicate": warning("Two items of a group have the same options with the same values."),
  "gmc.group.attrs": warning("The items of a group do not state the same variant attributes."),
  "gmc.group.idlength": error(`The group id is longer than ${chars("item_group_id")}.`),
  "gmc.group.title": info("The items of a group have different group titles."),
  "gmc.group.scattered": info(
    "The group's rows are not next to each other; rows that are apart are not compared.",
  ),
  "gmc.variantoption.count": warning(`The item has more than ${FIELDS.variant_option.most} variant options.`),
  "gmc.variantoption.length": warning(`An option's name or value is longer than ${chars("variant_option")}.`),
  "gmc.variantoption.total": warning(
    `The variant options have more than ${shownNumber(FIELDS.variant_option.total ?? 0)} characters in all.`,
  ),
  "gmc.variantoption.missing": warning("A variant option lacks its name or its value."),
  // shipping, measures and lists
  "gmc.ship.missing": info("No row of the file has a shipping cost; then the account must have them."),
  "gmc.ship.country": error("The shipping rate has no ISO 3166 country."),
  "gmc.ship.area": error("The shipping rate names two kinds of area."),
  "gmc.ship.price": error("The shipping rate's price is not valid.", mildly("info", "where it has none")),
  "gmc.ship.currency": error("The shipping rate is not in the price's currency."),
  "gmc.ship.max": warning("The shipping rate is above 1,000 USD."),
  "gmc.ship.times": warning("The shipping times are incomplete or contradict each other."),
  "gmc.ship.ambiguous": warning("Two rates have the same place and service."),
  "gmc.dims.incomplete": warning("A parcel needs all three axes."),
  "gmc.dims.unit": warning("The axes are in different units, or in one that Google does not take."),
  "gmc.dims.range": warning("The measure is outside of Google's range."),
  "gmc.number": warning("The value is not a whole number in the attribute's range."),
  "gmc.highlight.count": warning(
    `Highlights are ${FIELDS.product_highlight.least} to ${FIELDS.product_highlight.most}, or none.`,
  ),
  "gmc.highlight.length": warning(`A highlight is longer than ${chars("product_highlight")}.`),
  "gmc.detail.count": warning(`The item has more than ${FIELDS.product_detail.most} details.`),
  "gmc.detail.length": warning(
    `A detail is longer than Google takes: ${partChars("product_detail", "attribute_name")} for section and name, ${partChars("product_detail", "attribute_value")} for the value.`,
  ),
  "gmc.detail.missing": warning("A detail lacks its name or its value."),
  "gmc.cert.missing": warning("A certification lacks its authority or its name."),
  "gmc.qa.count": warning(`The item has more than ${FIELDS.question_and_answer.most} questions.`),
  "gmc.qa.length": warning(
    `A question or answer is longer than ${partChars("question_and_answer", "question")} characters.`,
  ),
  "gmc.qa.total": warning(
    `Questions and answers have more than ${shownNumber(FIELDS.question_and_answer.total ?? 0)} characters in all.`,
  ),
  "gmc.related.count": warning(`The item has more than ${FIELDS.related_product.most} related products.`),
  "gmc.related.type": warning(
    "The related product has a relationship or an identifier that Google does not know.",
  ),
  "gmc.doc.count": warning(`The item has more than ${FIELDS.document_link.most} documents.`),
  "gmc.doc.link": warning("The document's address cannot be followed."),
  "gmc.video.link": warning("The video's address cannot be followed."),
  "gmc.promo.id": warning(
    `The promotion id is longer than ${chars("promotion_id")}, has spaces or signs, or is one of too many.`,
  ),
  ...wordRules,
} satisfies Record<string, FindingRule>;

export type GoogleRule = keyof typeof GOOGLE_RULES;

export type GoogleFindings = Findings<GoogleRule>;
export type GoogleCheck = RowCheck<GoogleRule>;
