/** Google categories that a rule states: each must be in Google's taxonomy, as those of mapped category paths. */
import type { RuleAction } from "../../contract/rules.ts";
import { findCategory } from "../../catalog/google-taxonomy.ts";
import { unknownCategory } from "../../catalog/normalize/classification.ts";
import { type Given, pointerPart } from "./change.ts";
import { fieldNamed } from "./field-names.ts";
import { RuleError } from "./problem.ts";

/** Throws at the first value that is no category. The parts of the action are known to be complete. */
export function checkCategories({ field = "", value, table = {}, otherwise }: RuleAction): void {
  if (fieldNamed(field)?.name !== "google_category") return;
  check(value, "/action/value");
  for (const [key, entry] of Object.entries(table)) check(entry, `/action/table/${pointerPart(key)}`);
  check(otherwise, "/action/otherwise");
}

function check(value: Given | undefined, pointer: string): void {
  if (value === undefined || findCategory(String(value)) !== undefined) return;
  throw new RuleError("invalid_value", pointer, unknownCategory(String(value)));
}
