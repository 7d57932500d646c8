/**
 * Whether an element of a push is a deletion. Only `"delete": true` is; any other value under that name is rejected,
 * because the sender did not mean to add the item.
 */
import { isJsonObject, type JsonObject } from "../../lib/json-object.ts";
import { variantsIn } from "../product-record/json-variants.ts";

export type Deletion =
  | { readonly kind: "none" }
  | { readonly kind: "asked"; readonly of: JsonObject }
  /** Unclear or not possible. The message is complete sentences. */
  | { readonly kind: "refused"; readonly of: JsonObject; readonly message: string };

const LONGEST_SHOWN = 40;
const NONE: Deletion = { kind: "none" };

export const isDeleteName = (name: string): boolean => name.length === 6 && name.toLowerCase() === "delete";

export function deletionIn(element: unknown): Deletion {
  if (!isJsonObject(element)) return NONE;
  const stated = deleteOf(element);
  const variants = variantsIn(element) ?? [];
  if (isUnclear(stated)) {
    const text = JSON.stringify(stated);
    const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN).toWellFormed()}…` : text;
    const message = `"delete" must be true or false, but is ${shown}. The item was neither deleted nor changed.`;
    return { kind: "refused", of: element, message };
  }
  if (
    variants.some((variant) => isMeaningful(deleteOf(variant))) ||
    (stated === true && variants.length > 0)
  ) {
    const message = `A deletion cannot have variants: send { "id": …, "delete": true } for each variant.`;
    return { kind: "refused", of: element, message };
  }
  return stated === true ? { kind: "asked", of: element } : NONE;
}

function deleteOf(object: JsonObject): unknown {
  for (const name of Object.keys(object)) if (isDeleteName(name)) return object[name];
  return undefined;
}

/** Null counts as absent, as in any other field. */
const isMeaningful = (stated: unknown): boolean =>
  stated !== undefined && stated !== null && stated !== false;
const isUnclear = (stated: unknown): boolean => isMeaningful(stated) && stated !== true;
