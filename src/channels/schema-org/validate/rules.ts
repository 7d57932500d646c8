/**
 * The rules for schema.org JSON-LD. schema.org itself requires nothing. Errors make the document itself wrong or make
 * Google refuse it; warnings cost a product its merchant listing or are about ignored values. Google's recommendations
 * are advice, because Google's own examples omit much of what it recommends. The documentation prints this table.
 */
import { error, info, mildly, type FindingRule, warning } from "../../kit/validate/findings.ts";
import { MAX_RETURN_COUNTRIES } from "../fields.ts";

export const SCHEMA_ORG_RULES = {
  // the document
  "jsonld.encoding": error("The file is not UTF-8.", mildly("warning", "for a byte order mark")),
  "jsonld.json": error("The text breaks the rules of JSON."),
  "jsonld.shape": error("The document does not hold nodes: no `@graph`, no array, no typed object."),
  "jsonld.empty": error(
    "The document has no product.",
    mildly("info", "where it describes the organization that sells"),
  ),
  "jsonld.context": error("The context is missing or is not schema.org."),
  "jsonld.type.missing": error("The node has no `@type`.", mildly("info", "inside another node")),
  "jsonld.id.duplicate": error("Two nodes have the same `@id` and different content."),
  "jsonld.id.dangling": error(
    "The reference leads to no node of the file.",
    mildly("info", "where it names another page, which is not looked up"),
  ),
  "jsonld.id.relative": info("The `@id` is relative, so it means something else at every address."),
  "jsonld.ids": info("The file has more than two million names; later ones are not compared."),
  "jsonld.script": warning(
    "The text would end a `<script>` element that it is put into, or hide its end tag.",
  ),
  "jsonld.value.empty": info("A property is null, an empty text or an empty list; it should be left out."),
  "jsonld.property.unknown": info("schema.org has no such property for this type."),
  "jsonld.property.superseded": info("The property has been superseded by another."),
  // the product
  "jsonld.name.missing": error("The product has no name."),
  "jsonld.text.encoding": warning(
    "The name or the description was read in a wrong encoding on its way here.",
  ),
  "jsonld.image.missing": error("The product has no image, which merchant listings need."),
  "jsonld.image.invalid": warning("The image's address cannot be followed from the open web."),
  "jsonld.image.private": error(
    "The image's host is an IP address or a name of a private network.",
    mildly("warning", "for a further image"),
  ),
  "jsonld.image.one": info("The product has a single image."),
  "jsonld.offers.missing": error(
    "The product has no offer.",
    mildly("info", "for a product with a review or a rating, which needs none to be shown with them"),
  ),
  "jsonld.offers.aggregate": info(
    "The offer is an `AggregateOffer`, which is for the offers of several shops; a merchant listing needs an `Offer`.",
  ),
  "jsonld.description.missing": info("Neither the product nor its group has a description."),
  "jsonld.brand.missing": info("Neither the product nor its group has a brand."),
  "jsonld.identifier.missing": info("The product has neither a GTIN nor a manufacturer part number."),
  "jsonld.isbn.type": warning('An ISBN is read only of a product that is a book too: `["Product", "Book"]`.'),
  "jsonld.sku.missing": info("The product has no SKU."),
  "jsonld.sku.whitespace": warning("The SKU has white space in it."),
  "jsonld.gtin.length": warning("The GTIN is in the property of another length, or is not a GTIN."),
  "jsonld.gtin.checksum": warning("The GTIN has a wrong check digit."),
  "jsonld.url.missing": info("Neither the product nor its offer has an address."),
  "jsonld.url.relative": warning("The address is not absolute, or cannot be followed."),
  "jsonld.url.private": error(
    "The page's host is an IP address or a name of a private network.",
    mildly("warning", "for a group"),
  ),
  "jsonld.url.http": warning("The page's address is not https."),
  "jsonld.certification.many": warning("The product has more than ten certifications."),
  "jsonld.rating.count": error("The rating has no positive count."),
  "jsonld.rating.range": error("The rating is not a number between the worst and the best rating."),
  "jsonld.review.author": info("The review's author is missing, or is not a name."),
  // the offer
  "jsonld.price.missing": error("The offer has no price, neither its own nor in a specification."),
  "jsonld.price.format": error("The price is not a plain decimal number."),
  "jsonld.price.zero": error("The price is zero; merchant listings take only positive ones."),
  "jsonld.currency.missing": error("The price has no currency."),
  "jsonld.currency.unknown": error("The currency is not in ISO 4217."),
  "jsonld.price.date": error("`priceValidUntil` is not a date in ISO 8601 format."),
  "jsonld.price.until": warning("The price has run out; an outdated listing may be hidden."),
  "jsonld.price.type": error(
    "The price to be paid has a price type; only the price that is struck through has one.",
    mildly("warning", "where there is another price without a type, and this one is only ignored"),
  ),
  "jsonld.price.strike": error("A struck-through price needs an active one below it."),
  "jsonld.price.both": error("A specification has both a price type and a member tier, and is ignored."),
  "jsonld.price.unit": warning("The offer has a price next to the unit price, which is then ignored."),
  "jsonld.availability.missing": info("The offer has no availability."),
  "jsonld.availability.unknown": error("The availability is none of schema.org's."),
  "jsonld.availability.many": error("The offer has more than one availability."),
  "jsonld.condition.missing": info("The offer does not state the condition."),
  "jsonld.condition.unknown": error("The condition is none of schema.org's."),
  "jsonld.shipping.missing": info("The offer has no shipping details."),
  "jsonld.shipping.incomplete": warning(
    "The shipping details lack the destination or the rate, and are not shown.",
    mildly("info", "where they lack the times"),
  ),
  "jsonld.shipping.days": warning(
    "A handling or transit time is not in whole days: its `unitCode` is `DAY` or `d`.",
    mildly("info", "where it has no shortest time"),
  ),
  "jsonld.shipping.currency": error("The shipping rate is not in the offer's currency."),
  "jsonld.shipping.area": warning("The destination names both a region and postal codes."),
  "jsonld.returns.missing": info("The offer has no return policy."),
  "jsonld.returns.country": error("The return policy names no country it applies to."),
  "jsonld.returns.countries": warning(`The return policy names more than ${MAX_RETURN_COUNTRIES} countries.`),
  "jsonld.returns.category": error("The return policy has no known category."),
  "jsonld.returns.days": error("A return window has no number of days."),
  "jsonld.returns.fees": error("The return fees contradict themselves."),
  // the group
  "jsonld.group.name": error("The group has no name."),
  "jsonld.group.id": error("The group's id differs from the one its variant names."),
  "jsonld.group.variants": error(
    "Two variants of a group have the same SKU and no GTIN that tells them apart.",
  ),
  "jsonld.group.duplicate": warning("Two variants of a group have the same options with the same values."),
  "jsonld.group.anonymous": warning("A variant of the group has neither a SKU nor a GTIN."),
  "jsonld.group.variesby": warning("The group varies by something that Google does not read."),
  "jsonld.group.absent": warning("The group varies by a property that a variant does not have."),
} as const satisfies Record<string, FindingRule>;

export type SchemaOrgRule = keyof typeof SCHEMA_ORG_RULES;
