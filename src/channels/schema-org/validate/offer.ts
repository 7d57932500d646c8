/** Checks of an offer: price, availability, shipping and return policy. */
import { isCurrency } from "../../../catalog/currency.ts";
import { compareDecimals, isDecimal, isPositiveDecimal } from "../../kit/validate/checks/money.ts";
import { MAX_RETURN_COUNTRIES } from "../fields.ts";
import { has, isReference, type Node, nodesOf, termsOf, textOf, valuesOf } from "./node.ts";
import { checkPage, type SchemaOrgFindings } from "./product.ts";
import { AVAILABILITIES, CONDITIONS, RETURN_CATEGORIES } from "./vocabulary.ts";

/** Regular prices that are shown struck through; the second is the older form. */
const STRUCK = new Set(["StrikethroughPrice", "ListPrice"]);

function isStruck(specification: Node): boolean {
  return termsOf(specification, "priceType").some((type) => STRUCK.has(type));
}

/** A specification of the price that anyone pays now. */
function isActive(specification: Node): boolean {
  return !has(specification, "priceType") && !has(specification, "validForMemberTier");
}

/** The node that states the price to be paid: the offer itself, or a specification in it. */
function pricedNode(offer: Node): Node | undefined {
  if (has(offer, "price")) return offer;
  return nodesOf(offer, "priceSpecification").find((one) => isActive(one) && has(one, "price"));
}

function currencyOf(offer: Node): string | undefined {
  const priced = pricedNode(offer);
  return priced === undefined ? undefined : textOf(priced, "priceCurrency");
}

function checkAmount(node: Node, findings: SchemaOrgFindings): void {
  const value = textOf(node, "price");
  if (value === undefined || !isDecimal(value))
    findings.add("jsonld.price.format", { field: "price", value });
  else if (!isPositiveDecimal(value)) findings.add("jsonld.price.zero", { field: "price", value });
  checkCurrency(node, findings);
}

function checkCurrency(node: Node, findings: SchemaOrgFindings): void {
  const currency = textOf(node, "priceCurrency");
  const field = "priceCurrency";
  if (currency === undefined) findings.add("jsonld.currency.missing", { field });
  else if (!isCurrency(currency)) findings.add("jsonld.currency.unknown", { field, value: currency });
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

/** Without a price to be paid, the price may be in a specification with a type that it should not have. */
function reportNoPrice(offer: Node, findings: SchemaOrgFindings): void {
  const mistyped = nodesOf(offer, "priceSpecification").find(isMistyped);
  if (mistyped === undefined) {
    findings.add("jsonld.price.missing", { field: "price" });
    return;
  }
  findings.add("jsonld.price.type", { field: "priceType", value: termsOf(mistyped, "priceType")[0] });
  checkAmount(mistyped, findings);
}

function checkSpecification(specification: Node, offer: Node, findings: SchemaOrgFindings): void {
  const field = "priceSpecification";
  if (has(specification, "priceType") && has(specification, "validForMemberTier"))
    findings.add("jsonld.price.both", { field });
  if (has(specification, "referenceQuantity") && has(offer, "price"))
    findings.add("jsonld.price.unit", { field });
  if (isStruck(specification)) checkStruck(specification, offer, findings);
  if (isMistyped(specification) && pricedNode(offer) !== undefined)
    findings.add("jsonld.price.type", {
      field: "priceType",
      value: termsOf(specification, "priceType")[0],
      detail: "`StrikethroughPrice` is the only price type that is read; the price is ignored.",
      isMild: true,
    });
}

function checkStruck(specification: Node, offer: Node, findings: SchemaOrgFindings): void {
  const priced = pricedNode(offer);
  const regular = textOf(specification, "price");
  const active = priced === undefined ? undefined : textOf(priced, "price");
  const isLower =
    regular !== undefined &&
    active !== undefined &&
    isDecimal(regular) &&
    isDecimal(active) &&
    compareDecimals(regular, active) > 0;
  if (!isLower) findings.add("jsonld.price.strike", { field: "priceSpecification", value: regular });
}

/** The offers of several shops: the lowest of their prices is what Google needs. */
export function checkAggregateOffer(offer: Node, findings: SchemaOrgFindings): void {
  const field = "lowPrice";
  const value = textOf(offer, field) ?? textOf(offer, "price");
  if (value === undefined) findings.add("jsonld.price.missing", { field });
  else if (!isDecimal(value)) findings.add("jsonld.price.format", { field, value });
  checkCurrency(offer, findings);
}

const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

function checkPrice(offer: Node, findings: SchemaOrgFindings, now: Date): void {
  const priced = pricedNode(offer);
  if (priced === undefined) reportNoPrice(offer, findings);
  else checkAmount(priced, findings);
  const [type] = termsOf(offer, "priceType");
  if (type !== undefined) findings.add("jsonld.price.type", { field: "priceType", value: type });
  for (const specification of nodesOf(offer, "priceSpecification"))
    checkSpecification(specification, offer, findings);
  const until = textOf(offer, "priceValidUntil");
  if (until === undefined) return;
  const field = "priceValidUntil";
  if (!ISO_DATE.test(until) || Number.isNaN(Date.parse(until)))
    findings.add("jsonld.price.date", { field, value: until });
  else if (Date.parse(until) < now.getTime()) findings.add("jsonld.price.until", { field, value: until });
}

function checkState(offer: Node, findings: SchemaOrgFindings): void {
  const availability = termsOf(offer, "availability");
  if (availability.length === 0) findings.add("jsonld.availability.missing", { field: "availability" });
  if (availability.length > 1) findings.add("jsonld.availability.many", { field: "availability" });
  for (const value of availability)
    if (!AVAILABILITIES.has(value))
      findings.add("jsonld.availability.unknown", { field: "availability", value });
  const conditions = termsOf(offer, "itemCondition");
  if (conditions.length === 0) findings.add("jsonld.condition.missing", { field: "itemCondition" });
  for (const value of conditions)
    if (!CONDITIONS.has(value)) findings.add("jsonld.condition.unknown", { field: "itemCondition", value });
}

function checkShipping(offer: Node, findings: SchemaOrgFindings): void {
  const field = "shippingDetails";
  if (!has(offer, field)) findings.add("jsonld.shipping.missing", { field });
  const currency = currencyOf(offer);
  for (const details of nodesOf(offer, field)) {
    for (const rate of nodesOf(details, "shippingRate")) {
      const value = textOf(rate, "currency");
      if (value !== undefined && currency !== undefined && value !== currency)
        findings.add("jsonld.shipping.currency", { field, value });
    }
  }
}

export function checkOffer(offer: Node, findings: SchemaOrgFindings, now: Date): void {
  checkPrice(offer, findings, now);
  checkState(offer, findings);
  checkPage(offer, findings);
  checkShipping(offer, findings);
  if (!has(offer, "hasMerchantReturnPolicy"))
    findings.add("jsonld.returns.missing", { field: "hasMerchantReturnPolicy" });
}

const DAYS = new Set(["DAY", "d"]);
const WHOLE = /^\d+$/;

/** A handling or transit time: whole days, from and to, or one number of them. */
export function checkDays(time: Node, field: string, findings: SchemaOrgFindings): void {
  const add = (detail: string, value: string | undefined, isMild = false) =>
    findings.add("jsonld.shipping.days", { field, value, detail, isMild });
  const unit = textOf(time, "unitCode") ?? textOf(time, "unitText");
  if (unit === undefined) add("The time has no `unitCode`; `DAY` is the one to use.", undefined);
  else if (!DAYS.has(unit)) add("The time is not in days: its `unitCode` is `DAY` or `d`.", unit);
  const stated = ["value", "minValue", "maxValue"].map((name) => textOf(time, name));
  for (const value of stated)
    if (value !== undefined && !WHOLE.test(value)) add("The time is not a whole number of days.", value);
  const [exact, least, most] = stated;
  if (exact !== undefined) return;
  if (most === undefined) add("The time has no longest time, `maxValue`.", undefined);
  else if (least === undefined) add("The time has no shortest time, `minValue`.", undefined, true);
}

/** Readers show shipping details that are complete, or that refer to a complete service. */
export function checkShippingDetails(details: Node, findings: SchemaOrgFindings): void {
  if (has(details, "hasShippingService") || has(details, "shippingSettingsLink")) return;
  checkDestinations(nodesOf(details, "shippingDestination"), findings);
  const rates = nodesOf(details, "shippingRate");
  if (!rates.some((rate) => (has(rate, "value") || has(rate, "maxValue")) && has(rate, "currency")))
    reportIncomplete("rate with an amount and a currency", findings);
  checkTimes(nodesOf(details, "deliveryTime"), findings);
}

function reportIncomplete(what: string, findings: SchemaOrgFindings, isMild = false): void {
  const detail = `The shipping details have no ${what}.`;
  findings.add("jsonld.shipping.incomplete", { field: "shippingDetails", detail, isMild });
}

function checkDestinations(destinations: readonly Node[], findings: SchemaOrgFindings): void {
  if (!destinations.some((place) => has(place, "addressCountry")))
    reportIncomplete("destination with a country", findings);
  for (const place of destinations)
    if (has(place, "addressRegion") && (has(place, "postalCode") || has(place, "postalCodeRange")))
      findings.add("jsonld.shipping.area", {
        field: "shippingDetails",
        value: textOf(place, "addressRegion"),
      });
}

function checkTimes(times: readonly Node[], findings: SchemaOrgFindings): void {
  if (!times.some((time) => has(time, "handlingTime") && has(time, "transitTime")))
    reportIncomplete("handling and transit times", findings, true);
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
    findings.add("jsonld.returns.category", { field: "returnPolicyCategory", value: category });
  const days = textOf(policy, "merchantReturnDays");
  if (category === FINITE && (days === undefined || !/^[1-9]\d*$/.test(days)))
    findings.add("jsonld.returns.days", { field: "merchantReturnDays", value: days });
  checkFees(policy, findings);
}

function checkCountries(policy: Node, findings: SchemaOrgFindings): void {
  const field = "applicableCountry";
  const { length } = valuesOf(policy, field);
  if (length === 0) findings.add("jsonld.returns.country", { field });
  if (length > MAX_RETURN_COUNTRIES)
    findings.add("jsonld.returns.countries", { field, value: String(length) });
}

/** Free returns have no amount, and returns at the shop's rate have one. */
function checkFees(policy: Node, findings: SchemaOrgFindings): void {
  const field = "returnFees";
  const [fees] = termsOf(policy, field);
  const [amount] = nodesOf(policy, "returnShippingFeesAmount");
  const value = amount === undefined ? undefined : textOf(amount, "value");
  const isCharged = value !== undefined && Number(value) > 0;
  if (fees === "FreeReturn" && isCharged)
    findings.add("jsonld.returns.fees", { field, value, detail: "Free returns have a fee." });
  if (fees === "ReturnShippingFees" && !isCharged)
    findings.add("jsonld.returns.fees", { field, value, detail: "The fee of returns is missing or zero." });
}
