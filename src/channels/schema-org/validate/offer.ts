/** An offer: its price, whether it can be had, and how it is shipped and taken back. */
import { isCurrency } from "../../../catalog/currency.ts";
import { compareDecimals, isDecimal, isPositiveDecimal } from "../../kit/validate/checks/money.ts";
import { RETURN_COUNTRIES_MOST } from "../fields.ts";
import { has, isReference, type Node, nodesOf, termsOf, textOf, valuesOf } from "./node.ts";
import { checkPage, type SchemaOrgFindings } from "./product.ts";
import { AVAILABILITIES, CONDITIONS, RETURN_CATEGORIES } from "./vocabulary.ts";

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

function checkState(offer: Node, findings: SchemaOrgFindings): void {
  const availability = termsOf(offer, "availability");
  if (availability.length === 0) findings.say("jsonld.availability.missing", { field: "availability" });
  if (availability.length > 1) findings.say("jsonld.availability.many", { field: "availability" });
  for (const value of availability)
    if (!AVAILABILITIES.has(value))
      findings.say("jsonld.availability.unknown", { field: "availability", value });
  const conditions = termsOf(offer, "itemCondition");
  if (conditions.length === 0) findings.say("jsonld.condition.missing", { field: "itemCondition" });
  for (const value of conditions)
    if (!CONDITIONS.has(value)) findings.say("jsonld.condition.unknown", { field: "itemCondition", value });
}

function checkShipping(offer: Node, findings: SchemaOrgFindings): void {
  const field = "shippingDetails";
  if (!has(offer, field)) findings.say("jsonld.shipping.missing", { field });
  const currency = currencyOf(offer);
  for (const details of nodesOf(offer, field)) {
    for (const rate of nodesOf(details, "shippingRate")) {
      const value = textOf(rate, "currency");
      if (value !== undefined && currency !== undefined && value !== currency)
        findings.say("jsonld.shipping.currency", { field, value });
    }
  }
}

export function checkOffer(offer: Node, findings: SchemaOrgFindings, now: Date): void {
  checkPrice(offer, findings, now);
  checkState(offer, findings);
  checkPage(offer, findings);
  checkShipping(offer, findings);
  if (!has(offer, "hasMerchantReturnPolicy"))
    findings.say("jsonld.returns.missing", { field: "hasMerchantReturnPolicy" });
}

const DAYS = new Set(["DAY", "d"]);
const WHOLE = /^\d+$/;

/** A handling or transit time: whole days, from and to, or one number of them. */
export function checkDays(time: Node, field: string, findings: SchemaOrgFindings): void {
  const say = (detail: string, value: string | undefined, isMild = false) =>
    findings.say("jsonld.shipping.days", { field, value, detail, isMild });
  const unit = textOf(time, "unitCode") ?? textOf(time, "unitText");
  if (unit === undefined) say("The time has no `unitCode`; `DAY` is the one to use.", undefined);
  else if (!DAYS.has(unit)) say("The time is not in days: its `unitCode` is `DAY` or `d`.", unit);
  const given = ["value", "minValue", "maxValue"].map((name) => textOf(time, name));
  for (const value of given)
    if (value !== undefined && !WHOLE.test(value)) say("The time is not a whole number of days.", value);
  const [exact, least, most] = given;
  if (exact !== undefined) return;
  if (most === undefined) say("The time has no longest time, `maxValue`.", undefined);
  else if (least === undefined) say("The time has no shortest time, `minValue`.", undefined, true);
}

/** Readers show shipping details when they are complete, or lead to a service that is. */
export function checkShippingDetails(details: Node, findings: SchemaOrgFindings): void {
  if (has(details, "hasShippingService") || has(details, "shippingSettingsLink")) return;
  checkDestinations(nodesOf(details, "shippingDestination"), findings);
  const rates = nodesOf(details, "shippingRate");
  if (!rates.some((rate) => (has(rate, "value") || has(rate, "maxValue")) && has(rate, "currency")))
    sayIncomplete("rate with an amount and a currency", findings);
  checkTimes(nodesOf(details, "deliveryTime"), findings);
}

function sayIncomplete(what: string, findings: SchemaOrgFindings, isMild = false): void {
  findings.say("jsonld.shipping.incomplete", {
    field: "shippingDetails",
    detail: `The shipping details have no ${what}.`,
    isMild,
  });
}

function checkDestinations(destinations: readonly Node[], findings: SchemaOrgFindings): void {
  if (!destinations.some((place) => has(place, "addressCountry")))
    sayIncomplete("destination with a country", findings);
  for (const place of destinations)
    if (has(place, "addressRegion") && (has(place, "postalCode") || has(place, "postalCodeRange")))
      findings.say("jsonld.shipping.area", {
        field: "shippingDetails",
        value: String(valuesOf(place, "addressRegion").length),
      });
}

function checkTimes(times: readonly Node[], findings: SchemaOrgFindings): void {
  if (!times.some((time) => has(time, "handlingTime") && has(time, "transitTime")))
    sayIncomplete("handling and transit times", findings, true);
  for (const time of times)
    for (const name of ["handlingTime", "transitTime"])
      for (const one of nodesOf(time, name)) if (!isReference(one)) checkDays(one, name, findings);
}

const FINITE = "MerchantReturnFiniteReturnWindow";

export function checkReturnPolicy(policy: Node, findings: SchemaOrgFindings, isOfShop: boolean): void {
  if (isOfShop && has(policy, "merchantReturnLink") && !has(policy, "returnPolicyCategory")) return;
  checkCountries(policy, findings);
  const [category] = termsOf(policy, "returnPolicyCategory");
  if (category === undefined || !RETURN_CATEGORIES.has(category))
    findings.say("jsonld.returns.category", { field: "returnPolicyCategory", value: category });
  const days = textOf(policy, "merchantReturnDays");
  if (category === FINITE && (days === undefined || !/^[1-9]\d*$/.test(days)))
    findings.say("jsonld.returns.days", { field: "merchantReturnDays", value: days });
  checkFees(policy, findings);
}

function checkCountries(policy: Node, findings: SchemaOrgFindings): void {
  const field = "applicableCountry";
  const { length } = valuesOf(policy, field);
  if (length === 0) findings.say("jsonld.returns.country", { field });
  if (length > RETURN_COUNTRIES_MOST)
    findings.say("jsonld.returns.countries", { field, value: String(length) });
}

/** Free returns have no amount, and returns at the shop's rate have one. */
function checkFees(policy: Node, findings: SchemaOrgFindings): void {
  const field = "returnFees";
  const [fees] = termsOf(policy, field);
  const [amount] = nodesOf(policy, "returnShippingFeesAmount");
  const value = amount === undefined ? undefined : textOf(amount, "value");
  const isCharged = value !== undefined && Number(value) > 0;
  if (fees === "FreeReturn" && isCharged)
    findings.say("jsonld.returns.fees", { field, value, detail: "Free returns have a fee." });
  if (fees === "ReturnShippingFees" && !isCharged)
    findings.say("jsonld.returns.fees", {
      field,
      value,
      detail: "The shipping fee of returns is missing or zero.",
    });
}
