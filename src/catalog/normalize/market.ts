/** Where the item is sold, in what language it is described, and the merchant's own labels for campaigns. */
import type { TextField } from "../draft.ts";
import { readCountry, readLanguage } from "../vocabulary/places.ts";
import { given, type Intake, type ItemUnderWay, leaveOut, put, textOf } from "./intake.ts";

const LABEL_FIELDS = [
  "customLabel0",
  "customLabel1",
  "customLabel2",
  "customLabel3",
  "customLabel4",
] as const satisfies readonly TextField[];

export function fillMarket(item: ItemUnderWay, intake: Intake): void {
  put(item, "country", readMarketCountry(intake));
  put(item, "language", readMarketLanguage(intake));
}

/** Labels by position; an unused one is null, unused ones at the end are not there. */
export function readCustomLabels(intake: Intake): readonly (string | null)[] | undefined {
  const labels: (string | null)[] = [];
  for (const [position, field] of LABEL_FIELDS.entries()) {
    const label = textOf(intake, field);
    if (label === undefined) continue;
    while (labels.length < position) labels.push(null);
    labels.push(label);
  }
  return labels.length === 0 ? undefined : labels;
}

function readMarketCountry(intake: Intake): string | undefined {
  const text = given(intake, "country");
  if (text === undefined) return undefined;
  const problem = "is not an ISO 3166 country code";
  return readCountry(text) ?? leaveOut(intake, "invalid_country", "country", { value: text, problem });
}

function readMarketLanguage(intake: Intake): string | undefined {
  const text = given(intake, "language");
  if (text === undefined) return undefined;
  const problem = "is not a language code";
  return readLanguage(text) ?? leaveOut(intake, "invalid_language", "language", { value: text, problem });
}
