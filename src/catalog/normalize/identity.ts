/**
 * Ids and product identifiers. The id is taken as the shop wrote it except for white space: feeds and later syncs
 * identify the item by it, so it is not repaired.
 */
import { checkGtin, GTIN_NOTES, GTIN_PROBLEMS } from "../gtin.ts";
import { foldText } from "../text.ts";
import {
  codeField,
  readField,
  type DraftState,
  type MutableItem,
  dropWithWarning,
  type RequiredValue,
  setField,
  quoted,
  reject,
  textField,
  warn,
} from "./fields.ts";
import { booleanField } from "./typed-fields.ts";

/** Twice what the most generous feed accepts (ACP, 100). */
const LONGEST_ID = 200;
const BEYOND_ASCII = /[^ -~]/;
/** White space is folded first, so what is left of these was meant to be part of the id. */
const UNUSABLE = /[\p{Cc}\p{Cs}]/u;

export function readId(state: DraftState): RequiredValue<string> {
  const own = readField(state, "id");
  const raw = own ?? readField(state, "sku");
  if (raw === undefined)
    return reject(
      state,
      "missing_id",
      "id",
      "The item has neither an id nor a SKU. Add an id column, or map one with the columns setting.",
    );
  const field = own === undefined ? "sku" : "id";
  if (BEYOND_ASCII.test(raw) && UNUSABLE.test(raw.replace(/\s+/g, " ")))
    return reject(
      state,
      "invalid_id",
      field,
      `The id ${quoted(raw)} contains control characters. Remove them.`,
    );
  const id = foldText(raw);
  if (id === "") return reject(state, "missing_id", field, "The id has no visible characters.");
  if (id.length > LONGEST_ID)
    return reject(
      state,
      "invalid_id",
      field,
      `The id ${quoted(raw)} is longer than ${LONGEST_ID} characters. Use a shorter one.`,
    );
  state.itemId = id;
  if (own === undefined)
    warn(state, "id_from_sku", "id", `The item has no id; its SKU ${quoted(id)} is used as its id.`);
  return { kind: "valid", value: id };
}

/** A group may be named like one of its items: shops often name it after the first variant. Feeds tell them apart. */
export function fillIdentity(item: MutableItem, state: DraftState): void {
  setField(item, "groupId", codeField(state, "groupId"));
  setField(item, "sku", codeField(state, "sku"));
  setField(item, "gtin", readGtin(state));
  setField(item, "mpn", codeField(state, "mpn"));
  setField(item, "brand", textField(state, "brand"));
  setField(item, "identifierExists", booleanField(state, "identifierExists"));
  warnOfContradiction(item, state);
}

/** Google disapproves a `no` beside identifiers, so its file does not repeat it. */
function warnOfContradiction({ identifierExists, gtin, brand, mpn }: MutableItem, state: DraftState): void {
  if (identifierExists !== false) return;
  if (gtin === undefined && (brand === undefined || mpn === undefined)) return;
  const found = gtin === undefined ? "a brand and an mpn" : "a gtin";
  const message = `identifier_exists is no, but the item has ${found}; gmc.tsv omits identifier_exists. Remove it, or remove the identifiers.`;
  warn(state, "identifiers_contradict", "identifierExists", message);
}

function readGtin(state: DraftState): string | undefined {
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
