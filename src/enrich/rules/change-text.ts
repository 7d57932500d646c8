/** Actions whose value is made of the item's own: copy, template, replace. */
import type { RuleAction } from "../../contract/rules.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { allOf, type Change, LONGEST_TEXT, tooLong, writeTexts } from "./change.ts";
import { publishableField } from "./field-names.ts";
import type { RuleField } from "./fields.ts";
import { TEXT_KINDS } from "./operators.ts";
import { compilePattern, compileReplacement, replaceMatches } from "./pattern.ts";
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

export function replaceChange(field: RuleField, action: RuleAction, settings: CatalogSettings): Change {
  const replace = replacer(field, action);
  const clear = field.isRequired === true ? undefined : clearValue(field, settings);
  return (item, source) => {
    const texts = allOf(field.read(item, source));
    const replaced: string[] = [];
    for (const text of texts) {
      const result = replace(text);
      if (result === undefined) return tooLong(field);
      replaced.push(result);
    }
    if (replaced.every((text, at) => text === texts[at])) return item;
    const kept = replaced.filter((text) => text.trim() !== "");
    if (kept.length === 0 && clear !== undefined) return clear(item);
    return writeTexts(item, field, kept.length === 0 ? [""] : kept, settings);
  };
}

/** Undefined for a text that becomes too long. */
type Replace = (text: string) => string | undefined;

function replacer(field: RuleField, { find, pattern, with: replacement = "" }: RuleAction): Replace {
  if ((find === undefined) === (pattern === undefined)) {
    const message = "replace needs either find, a text, or pattern, a regular expression.";
    throw new RuleError(find === undefined ? "missing_part" : "unexpected_part", "/action/find", message);
  }
  checkReplace(field, find, replacement);
  if (pattern !== undefined) {
    const compiled = compilePattern(pattern, "/action/pattern");
    const made = compileReplacement(replacement, compiled, "/action/with");
    return (text) => replaceMatches(text, compiled, { replacement: made, limit: LONGEST_TEXT });
  }
  return (text) => {
    const parts = text.split(find ?? "");
    return (parts.length - 1) * replacement.length > LONGEST_TEXT ? undefined : parts.join(replacement);
  };
}

function checkReplace(field: RuleField, find: string | undefined, replacement: string): void {
  if (!TEXT_KINDS.has(field.kind)) {
    const message = `replace works on texts, and ${field.name} is none. Use set or map.`;
    throw new RuleError("field_not_settable", "/action/field", message);
  }
  if (find === "")
    throw new RuleError("invalid_value", "/action/find", "find is empty. Name the text to be replaced.");
  if (find === replacement)
    throw new RuleError("no_effect", "/action/with", "find and with are the same text.");
}
