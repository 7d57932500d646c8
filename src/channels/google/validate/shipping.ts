/** The shipping rates of an item. */
import { readCountry } from "../../../catalog/vocabulary/places.ts";
import { compareDecimals } from "../../kit/validate/checks/decimals.ts";
import { readMoney } from "../../kit/validate/checks/money.ts";
import { moneyOf } from "./offer.ts";
import type { GoogleFindings, Group, RowCheck } from "./row.ts";

const FIELD = "shipping";
const AREAS = ["region", "postal_code", "location_id", "location_group_name"] as const;
/** Google's highest rate, in its own currency; others are not converted here. */
const HIGHEST = { amount: "1000", currency: "USD" } as const;

function shownRate(rate: Group): string {
  return [...rate].map(([part, value]) => `${part}=${value}`).join(" ");
}

function sayPlace(rate: Group, findings: GoogleFindings): void {
  const country = rate.get("country");
  if (country === undefined || readCountry(country) !== country)
    findings.say("gmc.ship.country", { field: FIELD, value: country });
  const areas = AREAS.filter((area) => rate.has(area));
  if (areas.length > 1) findings.say("gmc.ship.area", { field: FIELD, value: shownRate(rate) });
}

/** A rate may say nothing but how long it takes. */
function isSpeedAlone(rate: Group): boolean {
  return !rate.has("price") && (rate.has("max_handling_time") || rate.has("max_transit_time"));
}

function sayPrice(rate: Group, currency: string | undefined, findings: GoogleFindings): void {
  const value = rate.get("price");
  if (value === undefined) {
    // A rate may say that the country is shipped to, and nothing more.
    findings.say("gmc.ship.price", { field: FIELD, detail: "The shipping rate has no price.", isMild: true });
    return;
  }
  const { money, fault } = readMoney(value);
  if (money === undefined) {
    findings.say("gmc.ship.price", { field: FIELD, value, detail: `The shipping price ${fault?.says}.` });
    return;
  }
  if (fault !== undefined)
    findings.say("gmc.price.precision", { field: FIELD, value, detail: `The amount ${fault.says}.` });
  if (currency !== undefined && money.currency !== currency)
    findings.say("gmc.ship.currency", { field: FIELD, value });
  if (money.currency === HIGHEST.currency && compareDecimals(money.amount, HIGHEST.amount) > 0)
    findings.say("gmc.ship.max", { field: FIELD, value });
}

function sayTimes(rate: Group, findings: GoogleFindings): void {
  const say = (detail: string) =>
    findings.say("gmc.ship.times", { field: FIELD, value: shownRate(rate), detail });
  for (const what of ["handling", "transit"]) {
    const least = rate.get(`min_${what}_time`);
    const most = rate.get(`max_${what}_time`);
    if ([least, most].some((days) => days !== undefined && !/^\d{1,3}$/.test(days)))
      say(`A ${what} time is not a number of days.`);
    else if (least !== undefined && most === undefined) say(`The shortest ${what} time has no longest one.`);
    else if (Number(least ?? 0) > Number(most ?? 0)) say(`The shortest ${what} time is above the longest.`);
  }
  if (rate.has("max_handling_time") !== rate.has("max_transit_time"))
    say("Delivery speed needs both the longest handling and the longest transit time.");
}

function placeAndService(rate: Group): string {
  return JSON.stringify(["country", ...AREAS, "service"].map((part) => rate.get(part) ?? ""));
}

const checkShipping: RowCheck = (row, findings) => {
  const currency = moneyOf(row, "price")?.currency;
  const seen = new Set<string>();
  for (const rate of row.groups(FIELD)) {
    sayPlace(rate, findings);
    if (!isSpeedAlone(rate)) sayPrice(rate, currency, findings);
    sayTimes(rate, findings);
    const key = placeAndService(rate);
    if (seen.has(key)) findings.say("gmc.ship.ambiguous", { field: FIELD, value: shownRate(rate) });
    seen.add(key);
  }
};

export const SHIPPING_CHECKS: readonly RowCheck[] = [checkShipping];
