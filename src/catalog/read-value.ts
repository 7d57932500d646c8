/**
 * Reads the value of a single field with the checks of `normalize`, for values that do not come from a source. Only for
 * fields that depend on no other; all others go through `patchItem`.
 */
import type { Draft } from "./draft.ts";
import type { Rejection, Warning } from "./finding.ts";
import type { Item } from "./item.ts";
import { FIELD_READERS, type ItemState, type NormalizeContext, type OptionalField } from "./normalize.ts";
import { readId } from "./normalize/identity.ts";
import { readLink, readTitle } from "./normalize/texts.ts";

/** Fields that are made of several fields of a draft are left to `patchItem`. */
type Dependent =
  | "salePrice"
  | "saleFrom"
  | "saleTo"
  | "priceIsList"
  | "availabilityDate"
  | "quantity"
  | "unitPricing"
  | "options"
  | "returns"
  | "rating";
export type SingleField = Exclude<OptionalField, Dependent> | "id" | "title" | "link";

export type ReadValue<Field extends SingleField> = {
  /** Undefined if the value was rejected, not used, or counts as empty. */
  readonly value: Item[Field] | undefined;
  readonly problems: readonly (Warning | Rejection)[];
};

/** The draft has the one value. An amount without a currency is in that of the item. */
export function readValue<Field extends SingleField>(
  field: Field,
  draft: Draft,
  { position, settings, decimalMark, item }: NormalizeContext & { readonly item: Item },
): ReadValue<Field> {
  const state: ItemState = {
    draft,
    position,
    settings,
    decimalMark,
    warnings: [],
    itemId: item.id,
    item,
    prices: { price: item.price },
    stock: { availability: item.availability },
    options: [],
    traits: {},
  };
  const required = readRequired(field, state);
  if (required?.kind === "rejected") return { value: undefined, problems: [required.rejection] };
  const value = (required?.value ?? readOptional(field, state)) as Item[Field] | undefined;
  return { value, problems: state.warnings };
}

function readRequired(field: SingleField, state: ItemState) {
  if (field === "id") return readId(state);
  return field === "title" ? readTitle(state) : undefined;
}

function readOptional(field: SingleField, state: ItemState): unknown {
  if (field === "link") return readLink(state);
  const read = FIELD_READERS[field as OptionalField] as (state: ItemState, field: string) => unknown;
  return read(state, field);
}
