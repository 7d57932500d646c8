/** Where the item is sold, in what language it is described, and the merchant's own labels for campaigns. */
import type { TextField } from "../draft.ts";
import { readCountry, readLanguage } from "../vocabulary/places.ts";
import {
  readField,
  type DraftState,
  type MutableItem,
  dropWithWarning,
  setField,
  textField,
} from "./fields.ts";

const LABEL_FIELDS = [
  "customLabel0",
  "customLabel1",
  "customLabel2",
  "customLabel3",
  "customLabel4",
] as const satisfies readonly TextField[];

export function fillMarket(item: MutableItem, state: DraftState): void {
  setField(item, "country", readMarketCountry(state));
  setField(item, "language", readMarketLanguage(state));
}

/** Labels by position; an unused one is null, unused ones at the end are not there. */
export function readCustomLabels(state: DraftState): readonly (string | null)[] | undefined {
  const labels: (string | null)[] = [];
  for (const [position, field] of LABEL_FIELDS.entries()) {
    const label = textField(state, field);
    if (label === undefined) continue;
    while (labels.length < position) labels.push(null);
    labels.push(label);
  }
  return labels.length === 0 ? undefined : labels;
}

function readMarketCountry(state: DraftState): string | undefined {
  const text = readField(state, "country");
  if (text === undefined) return undefined;
  const problem = "is not an ISO 3166 country code";
  return readCountry(text) ?? dropWithWarning(state, "invalid_country", "country", { value: text, problem });
}

function readMarketLanguage(state: DraftState): string | undefined {
  const text = readField(state, "language");
  if (text === undefined) return undefined;
  const problem = "is not a language code such as en or de-AT";
  return (
    readLanguage(text) ?? dropWithWarning(state, "invalid_language", "language", { value: text, problem })
  );
}
