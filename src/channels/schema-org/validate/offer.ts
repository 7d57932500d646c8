/** An offer: its price, whether it can be had, and how it is shipped and taken back. */
import { has, isReference, type Node, nodesOf, termsOf, textOf, valuesOf } from "./node.ts";
import { checkPrice, currencyOf } from "./price.ts";
import { checkPage, type SchemaOrgFindings } from "./product.ts";
import { AVAILABILITIES, CONDITIONS } from "./vocabulary.ts";

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
