/** What the actions that change a field share. */
import type { Item } from "../../catalog/item.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { constantWrite, type Scalar, scalarText } from "./constants.ts";
import type { FieldText, RuleField, RuleSource } from "./fields.ts";
import { RuleError } from "./problem.ts";
import { isRefusal, setValue, type Write, type Written } from "./write.ts";

export type Change = (item: Item, source: RuleSource) => Written;

/** A value that a rule states. */
export type Given = Scalar | readonly Scalar[];

export function constantChange(
  field: RuleField,
  value: Given,
  pointer: string,
  settings: CatalogSettings,
): Write {
  if (typeof value === "object" && !hasSeveral(field))
    throw new RuleError("invalid_value", pointer, `${field.name} has one value, not a list.`);
  const texts = typeof value === "object" ? value.map(scalarText) : scalarText(value);
  if (texts.length === 0) {
    const message = `The value is empty. Use the action clear to remove ${field.name}.`;
    throw new RuleError("invalid_value", pointer, message);
  }
  const write = constantWrite(field, texts, settings);
  if (isRefusal(write)) throw new RuleError("invalid_value", pointer, write.refused);
  return write;
}

const hasSeveral = ({ kind }: RuleField): boolean => kind === "list" || kind === "paths";

export const allOf = (texts: FieldText): readonly string[] =>
  texts === undefined ? [] : typeof texts === "string" ? [texts] : texts;

/** Longer than any field; no rule makes a longer text. */
export const LONGEST_TEXT = 100_000;
export const tooLong = ({ name }: RuleField) => ({ refused: `The new text of ${name} is too long.` });

/** Sets the field to texts made of an item's values; without any the item stays as it is. */
export function writeTexts(
  item: Item,
  field: RuleField,
  texts: readonly string[],
  settings: CatalogSettings,
): Written {
  const [first] = texts;
  if (first === undefined) return item;
  if (texts.some(({ length }) => length > LONGEST_TEXT)) return tooLong(field);
  const plain = field.isProse === true ? texts.map(escaped) : texts;
  return setValue(field, hasSeveral(field) ? plain : (plain[0] ?? first), settings)(item);
}

/**
 * Values of items are plain texts. Where a field removes markup, what looks like it must be escaped first. By number,
 * because names such as `&lt;` may be taken for markup that was escaped twice.
 */
function escaped(text: string): string {
  return text.replaceAll("&", "&#38;").replaceAll("<", "&#60;");
}

/** A name as a part of a JSON Pointer. */
export const pointerPart = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
