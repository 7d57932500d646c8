/** Several columns that say whether an item can be bought. */
import { readAvailability } from "../../catalog/vocabulary/availability.ts";
import { textOf } from "./cells.ts";
import { inputsOf, type CellStep } from "./source-text.ts";

/**
 * Of several columns of availability the first whose words are known is used, as `instock` beside a text for buyers. It
 * must not contradict that text: "on order, delivery within 30 days" is not in stock, whatever the other column says.
 */
export function availabilityStep(columns: readonly number[]): CellStep {
  return {
    inputs: inputsOf("availability", columns),
    run: (draft, cells) => {
      const texts = columns.flatMap((column) => textOf(cells[column] ?? "") ?? []);
      const [first] = texts;
      if (first === undefined) return;
      const stated = texts.find((text) => readAvailability(text) !== undefined);
      draft.availability = stated === undefined || contradicts(first, stated) ? first : stated;
    },
  };
}

function contradicts(text: string, stated: string): boolean {
  const known = readAvailability(stated)?.availability;
  const parts = text === stated ? [] : text.split(/[,;/|.]/);
  return parts.some((part) => (readAvailability(part)?.availability ?? known) !== known);
}
