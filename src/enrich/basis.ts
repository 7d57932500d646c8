/** What a proposed value is decided from: the source's value of the field, and the texts that are its evidence. */
import { hash } from "node:crypto";
import { decodeItem, type Item } from "../catalog/item.ts";
import type { Evidence } from "../contract/proposals.ts";
import { textOf } from "./extractors/evidence.ts";
import { NO_SOURCE, type RuleField } from "./rules/fields.ts";

export type Basis = {
  readonly evidence: readonly Pick<Evidence, "item_id" | "field" | "from" | "to" | "text">[];
  /** The source's item of the variant that has the evidence, if that is another one; null: there is none, or it is gone. */
  readonly siblingBody: string | null;
};

const HASH_BYTES = 16;

const hashOf = (value: unknown): Buffer =>
  hash("sha256", JSON.stringify(value), "buffer").subarray(0, HASH_BYTES);

/** A hash of the source's value, then one of the texts. The second is left out if there are none that can be compared. */
export function basisHash(source: Item, field: RuleField, { evidence, siblingBody }: Basis): Buffer {
  const value = hashOf(field.read(source, NO_SOURCE) ?? null);
  const sibling = siblingBody === null ? undefined : decodeItem(siblingBody);
  const texts: (string | null)[] = [];
  for (const found of evidence) {
    const item = found.item_id === undefined ? source : sibling;
    // Nothing contradicts the value because a variant is no longer sold.
    if (item === undefined) return value;
    texts.push(textBehind(item, found));
  }
  return texts.length === 0 ? value : Buffer.concat([value, hashOf(texts)]);
}

/** Whether neither the value nor the texts have changed. */
export function isSameBasis(one: Buffer, other: Buffer): boolean {
  const compared = Math.min(one.length, other.length);
  return one.subarray(0, compared).equals(other.subarray(0, compared));
}

/** Whether the source's value has not changed, whatever the texts are. */
export const isSameValue = (one: Buffer, other: Buffer): boolean =>
  isSameBasis(one.subarray(0, HASH_BYTES), other);

/** The whole text: "500 g" is another quantity once "2 x" stands before it. */
function textBehind(item: Item, found: Basis["evidence"][number]): string | null {
  const [list = "", index] = found.field.split(".");
  return (index === undefined ? textOf(item, found.field) : entryBehind(item, list, found)) ?? null;
}

/** Of a list: the entry that has the text, wherever it stands now, with its name. */
function entryBehind(
  { options = [], details = [], categories = [] }: Item,
  list: string,
  { from, to, text }: Basis["evidence"][number],
): string | undefined {
  const entries =
    list === "categories"
      ? categories.map((path) => ({ name: "", value: path.join(" > ") }))
      : list === "options"
        ? options
        : details;
  const entry = entries.find(({ value }) => value.slice(from, to) === text);
  return entry && JSON.stringify([entry.name, entry.value]);
}
