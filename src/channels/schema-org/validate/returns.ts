/** A return policy: complete on an offer or on its own; a shop may have no more than a link to its page. */
import { RETURN_COUNTRIES_MOST } from "../fields.ts";
import { has, type Node, nodesOf, termsOf, textOf, valuesOf } from "./node.ts";
import type { SchemaOrgFindings } from "./product.ts";
import { RETURN_CATEGORIES } from "./vocabulary.ts";

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
