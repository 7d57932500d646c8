/** Messages that PHP prints in front of the shop's data: they are read past, and the merchant is told. */
import type { Warning } from "../../catalog/finding.ts";
import type { WooApi } from "./api.ts";

const NOISE =
  "The shop prints messages of PHP's in front of its data; they were read past. Set WP_DEBUG_DISPLAY to false in its wp-config.php, or display_errors to Off in its PHP settings, before one of them breaks the data.";

export function noiseNotes({ noisyAnswers }: WooApi): readonly string[] {
  return noisyAnswers() === 0 ? [] : [NOISE];
}

export function sourceNote(message: string): Warning {
  return { itemId: null, position: null, field: null, code: "source_note", message };
}
