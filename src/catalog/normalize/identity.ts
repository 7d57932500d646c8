/**
 * Ids and product identifiers. The id is taken as the shop wrote it except for white space: feeds and later syncs
 * identify the item by it, so it is not repaired.
 */
import { isPlaceholder } from "../filler-words.ts";
import { checkGtin, GTIN_NOTES, GTIN_PROBLEMS } from "../gtin.ts";
import type { Item } from "../item.ts";
import { foldText } from "../text.ts";
import type { DraftState, RequiredValue } from "./fields.ts";
import { booleanField, dropWithWarning, quoted, readField, reject, warn } from "./fields.ts";

/** Twice what the most generous feed accepts (ACP, 100). */
const LONGEST_ID = 200;
const BEYOND_ASCII = /[^ -~]/;
/** White space is folded first, so what is left of these was meant to be part of the id. */
const UNUSABLE = /[\p{Cc}\p{Cs}]/u;

export function readId(state: DraftState): RequiredValue<string> {
  const own = readField(state, "id");
  const raw = own ?? readField(state, "sku");
  if (raw === undefined) {
    const message =
      "The item has neither an id nor a SKU. Add an id column, or map one with the columns setting.";
    return reject(state, "missing_id", "id", message);
  }
  const field = own === undefined ? "sku" : "id";
  if (BEYOND_ASCII.test(raw) && UNUSABLE.test(raw.replace(/\s+/g, " "))) {
    const message = `The id ${quoted(raw)} contains control characters. Remove them.`;
    return reject(state, "invalid_id", field, message);
  }
  const id = foldText(raw);
  if (id === "") return reject(state, "missing_id", field, "The id has no visible characters.");
  if (id.length > LONGEST_ID) {
    const message = `The id ${quoted(raw)} is longer than ${LONGEST_ID} characters. Use a shorter one.`;
    return reject(state, "invalid_id", field, message);
  }
  state.itemId = id;
  if (own === undefined)
    warn(state, "id_from_sku", "id", `The item has no id; its SKU ${quoted(id)} is used as its id.`);
  return { kind: "valid", value: id };
}

/**
 * Google disapproves a `no` next to identifiers, so its file does not repeat it. `item` has the identifiers already.
 */
export function readIdentifierExists(
  state: DraftState,
  { gtin, brand, mpn }: Partial<Item>,
): boolean | undefined {
  const exists = booleanField(state, "identifierExists");
  if (exists !== false || (gtin === undefined && (brand === undefined || mpn === undefined))) return exists;
  const found = gtin === undefined ? "a brand and an mpn" : "a gtin";
  const message = `identifier_exists is no, but the item has ${found}; gmc.tsv omits identifier_exists. Remove it, or remove the identifiers.`;
  warn(state, "identifiers_contradict", "identifierExists", message);
  return exists;
}

export function readGtin(state: DraftState): string | undefined {
  const text = readField(state, "gtin");
  if (text === undefined) return undefined;
  const checked = checkGtin(text);
  if (checked.kind === "invalid") {
    const code = checked.reason === "spreadsheet_damage" ? "damaged_gtin" : "invalid_gtin";
    return dropWithWarning(state, code, "gtin", { value: text, problem: GTIN_PROBLEMS[checked.reason] });
  }
  if (checked.note !== undefined)
    warn(state, "unusual_gtin", "gtin", `gtin ${quoted(text)} ${GTIN_NOTES[checked.note]}.`);
  return checked.gtin;
}

/** A code of the shop or of the manufacturer. */
const CODE = /^(?=.*\d)[A-Za-z\d][A-Za-z\d ._/-]{2,39}$/;

/** `item` has the GTIN already, if there is one. What a spreadsheet has cut says nothing any more. */
export function readBarcode(state: DraftState, { gtin }: Partial<Item>): string | undefined {
  const text = gtin === undefined ? readField(state, "gtin") : undefined;
  if (text === undefined) return undefined;
  const checked = checkGtin(text);
  const code = foldText(text);
  const isUsable = checked.kind === "invalid" && checked.reason !== "spreadsheet_damage" && CODE.test(code);
  return isUsable && !isPlaceholder(code) ? code : undefined;
}
