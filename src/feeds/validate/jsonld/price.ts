/** The price of an offer: its own, or in specifications beside or instead of it. */
import { isCurrency } from "../../../catalog/currency.ts";
import { compareDecimals, isDecimal, isPositiveDecimal } from "../checks/decimals.ts";
import { has, type Node, nodesOf, termsOf, textOf } from "./node.ts";
import type { JsonldFindings } from "./product.ts";

/** Regular prices that are shown struck through; the second was the way before. */
const STRUCK = new Set(["StrikethroughPrice", "ListPrice"]);

function isStruck(specification: Node): boolean {
  return termsOf(specification, "priceType").some((type) => STRUCK.has(type));
}

/** A specification that says what is to be paid now, by anyone. */
function isActive(specification: Node): boolean {
  return !has(specification, "priceType") && !has(specification, "validForMemberTier");
}

/** The node that states the price to be paid: the offer itself, or a specification in it. */
function pricedNode(offer: Node): Node | undefined {
  if (has(offer, "price")) return offer;
  return nodesOf(offer, "priceSpecification").find((one) => isActive(one) && has(one, "price"));
}

export function currencyOf(offer: Node): string | undefined {
  const priced = pricedNode(offer);
  return priced === undefined ? undefined : textOf(priced, "priceCurrency");
}

function sayPrice(node: Node, findings: JsonldFindings): void {
  const value = textOf(node, "price");
  if (value === undefined || !isDecimal(value))
    findings.say("jsonld.price.format", { field: "price", value });
  else if (!isPositiveDecimal(value)) findings.say("jsonld.price.zero", { field: "price", value });
  const currency = textOf(node, "priceCurrency");
  const field = "priceCurrency";
  if (currency === undefined) findings.say("jsonld.currency.missing", { field });
  else if (!isCurrency(currency)) findings.say("jsonld.currency.unknown", { field, value: currency });
}

function saySpecification(specification: Node, offer: Node, findings: JsonldFindings): void {
  const field = "priceSpecification";
  if (has(specification, "priceType") && has(specification, "validForMemberTier"))
    findings.say("jsonld.price.both", { field });
  if (has(specification, "referenceQuantity") && has(offer, "price"))
    findings.say("jsonld.price.unit", { field });
  if (isStruck(specification)) sayStruck(specification, offer, findings);
}

function sayStruck(specification: Node, offer: Node, findings: JsonldFindings): void {
  const priced = pricedNode(offer);
  const regular = textOf(specification, "price");
  const active = priced === undefined ? undefined : textOf(priced, "price");
  const isWell =
    regular !== undefined &&
    active !== undefined &&
    isDecimal(regular) &&
    isDecimal(active) &&
    compareDecimals(regular, active) > 0;
  if (!isWell) findings.say("jsonld.price.strike", { field: "priceSpecification", value: regular });
}

export function checkPrice(offer: Node, findings: JsonldFindings, now: Date): void {
  const priced = pricedNode(offer);
  if (priced === undefined) findings.say("jsonld.price.missing", { field: "price" });
  else sayPrice(priced, findings);
  for (const specification of nodesOf(offer, "priceSpecification"))
    saySpecification(specification, offer, findings);
  const until = textOf(offer, "priceValidUntil");
  if (until !== undefined && Date.parse(until) < now.getTime())
    findings.say("jsonld.price.until", { field: "priceValidUntil", value: until });
}
