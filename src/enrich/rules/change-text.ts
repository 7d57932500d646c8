/** Actions whose value is made of the item's own: copy, template, replace. */
import type { RuleAction } from "../../contract/rules.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { allOf, type Change, LONGEST_TEXT, tooLong, writeTexts } from "./change.ts";
import { publishableField } from "./field-names.ts";
import type { RuleField } from "./fields.ts";
import { TEXT_KINDS } from "./operators.ts";
import { RuleError } from "./problem.ts";
import { compileTemplate } from "./template.ts";
import { clearValue } from "./write.ts";

export function copyChange(field: RuleField, { from = "" }: RuleAction, settings: CatalogSettings): Change {
  const other = publishableField(from, "/action/from");
  if (other.name === field.name)
    throw new RuleError("no_effect", "/action/from", `${field.name} is copied to itself.`);
  return (item, source) => writeTexts(item, field, allOf(other.read(item, source)), settings);
}

export function templateChange(
  field: RuleField,
  { text = "" }: RuleAction,
  settings: CatalogSettings,
): Change {
  const template = compileTemplate(text, "/action/text");
  if (template.fieldCount === 0) {
    const message = "The template has no field, such as {title}. Use the action set for a fixed text.";
    throw new RuleError("invalid_template", "/action/text", message);
  }
  return (item, source) => {
    const rendered = template.render(item, source);
    return rendered === "" ? item : writeTexts(item, field, [rendered], settings);
  };
}

export function replaceChange(
  field: RuleField,
  { find = "", with: replacement = "" }: RuleAction,
  settings: CatalogSettings,
): Change {
  checkReplace(field, find, replacement);
  const clear = field.isRequired === true ? undefined : clearValue(field, settings);
  return (item, source) => {
    const texts = allOf(field.read(item, source));
    if (!texts.some((text) => text.includes(find))) return item;
    const parts = texts.map((text) => text.split(find));
    const added = parts.reduce((sum, { length }) => sum + (length - 1) * replacement.length, 0);
    if (added > LONGEST_TEXT) return tooLong(field);
    const replaced = parts.map((part) => part.join(replacement)).filter((text) => text.trim() !== "");
    if (replaced.length === 0 && clear !== undefined) return clear(item);
    return writeTexts(item, field, replaced.length === 0 ? [""] : replaced, settings);
  };
}

function checkReplace(field: RuleField, find: string, replacement: string): void {
  if (!TEXT_KINDS.has(field.kind)) {
    const message = `replace works on texts, and ${field.name} is none. Use set or map.`;
    throw new RuleError("field_not_settable", "/action/field", message);
  }
  if (find === "")
    throw new RuleError("invalid_value", "/action/find", "find is empty. Name the text to be replaced.");
  if (find === replacement)
    throw new RuleError("no_effect", "/action/with", "find and with are the same text.");
}
