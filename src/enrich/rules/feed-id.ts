/** The id of items in feeds, which a rule makes of the item's own id and other values. */
import type { RuleAction } from "../../contract/rules.ts";
import type { Item } from "../../catalog/item.ts";
import { readValue } from "../../catalog/read-value.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import type { RuleSource } from "./fields.ts";
import { RuleError } from "./problem.ts";
import { compileTemplate } from "./template.ts";
import type { Refusal } from "./write.ts";

export type MakeId = (item: Item, source: RuleSource) => { readonly id: string } | Refusal;

export function idTemplate(
  { type, text = "" }: RuleAction,
  settings: CatalogSettings,
  isForAll: boolean,
): MakeId {
  if (type !== "template") throw notSettable("The id can only be set by a template that contains {id}.");
  if (!isForAll) throw notSettable("The id is the same in all feeds. Remove channel from the rule.");
  const { fields, plainFields, render } = compileTemplate(text, "/action/text");
  if (!plainFields.has("id")) {
    const message = "The template of an id must contain {id} without a filter, so that ids stay different.";
    throw new RuleError("invalid_template", "/action/text", message);
  }
  if ([...fields].some((name) => name !== "id" && name !== "group_id")) {
    const message =
      "The template of an id may contain {id} and {group_id} only: other values change, and ids must not.";
    throw new RuleError("invalid_template", "/action/text", message);
  }
  return (item, source) => {
    const draft = { id: render(item, source) };
    const { value, problems } = readValue("id", draft, { position: 1, settings, item });
    return value === undefined ? { refused: problems[0]?.message ?? "The id is empty." } : { id: value };
  };
}

const notSettable = (message: string): RuleError =>
  new RuleError("field_not_settable", "/action/field", message);
