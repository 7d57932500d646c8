/** The price of an offer: its own, or in specifications beside or instead of it. */
import { isCurrency } from "../../../catalog/currency.ts";
import { compareDecimals, isDecimal, isPositiveDecimal } from "../../kit/validate/checks/decimals.ts";
import { has, type Node, nodesOf, termsOf, textOf } from "./node.ts";
import type { SchemaOrgFindings } from "./product.ts";

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

function sayPrice(node: Node, findings: SchemaOrgFindings): void {
  const value = textOf(node, "price");
  if (value === undefined || !isDecimal(value))
    findings.say("jsonld.price.format", { field: "price", value });
  else if (!isPositiveDecimal(value)) findings.say("jsonld.price.zero", { field: "price", value });
  sayCurrency(node, findings);
}

function sayCurrency(node: Node, findings: SchemaOrgFindings): void {
  const currency = textOf(node, "priceCurrency");
  const field = "priceCurrency";
  if (currency === undefined) findings.say("jsonld.currency.missing", { field });
  else if (!isCurrency(currency)) findings.say("jsonld.currency.unknown", { field, value: currency });
}

/** A price that is to be paid now but has a price type, as only a struck-through price may. */
function isMistyped(specification: Node): boolean {
  return (
    has(specification, "priceType") &&
    has(specification, "price") &&
    !isStruck(specification) &&
    !has(specification, "validForMemberTier")
  );
}

/** Where no price is left that is plainly the one to be paid, it may be one with a type that it should not have. */
function sayUnpriced(offer: Node, findings: SchemaOrgFindings): void {
  const mistyped = nodesOf(offer, "priceSpecification").find(isMistyped);
  if (mistyped === undefined) {
    findings.say("jsonld.price.missing", { field: "price" });
    return;
  }
  findings.say("jsonld.price.type", { field: "priceType", value: termsOf(mistyped, "priceType")[0] });
  sayPrice(mistyped, findings);
}

function saySpecification(specification: Node, offer: Node, findings: SchemaOrgFindings): void {
  const field = "priceSpecification";
  if (has(specification, "priceType") && has(specification, "validForMemberTier"))
    findings.say("jsonld.price.both", { field });
  if (has(specification, "referenceQuantity") && has(offer, "price"))
    findings.say("jsonld.price.unit", { field });
  if (isStruck(specification)) sayStruck(specification, offer, findings);
  if (isMistyped(specification) && pricedNode(offer) !== undefined)
    findings.say("jsonld.price.type", {
      field: "priceType",
      value: termsOf(specification, "priceType")[0],
      detail: "`StrikethroughPrice` is the only price type that is read; the price is ignored.",
      isMild: true,
    });
}

function sayStruck(specification: Node, offer: Node, findings: SchemaOrgFindings): void {
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

/** The offers of several shops: the lowest of their prices is what Google needs. */
export function checkAggregateOffer(offer: Node, findings: SchemaOrgFindings): void {
  const field = "lowPrice";
  const value = textOf(offer, field) ?? textOf(offer, "price");
  if (value === undefined) findings.say("jsonld.price.missing", { field });
  else if (!isDecimal(value)) findings.say("jsonld.price.format", { field, value });
  sayCurrency(offer, findings);
}

export function checkPrice(offer: Node, findings: SchemaOrgFindings, now: Date): void {
  const priced = pricedNode(offer);
  if (priced === undefined) sayUnpriced(offer, findings);
  else sayPrice(priced, findings);
  const [type] = termsOf(offer, "priceType");
  if (type !== undefined) findings.say("jsonld.price.type", { field: "priceType", value: type });
  for (const specification of nodesOf(offer, "priceSpecification"))
    saySpecification(specification, offer, findings);
  const until = textOf(offer, "priceValidUntil");
  if (until !== undefined && Date.parse(until) < now.getTime())
    findings.say("jsonld.price.until", { field: "priceValidUntil", value: until });
}
