/** The options of a variant, and whether OpenAI will look at them. */
import { wordKey } from "../../../catalog/words.ts";
import type { OpenaiRow, RowCheck } from "./row.ts";

/** Attributes that are often options too, by the names under which they are. */
const ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ["color", "color"],
  ["colour", "color"],
  ["size", "size"],
  ["material", "material"],
  ["gender", "gender"],
  ["agegroup", "age_group"],
]);

/** Whether OpenAI takes the row for a variant of a group. */
export function isVariant(row: OpenaiRow): boolean {
  const groupId = row.text("group_id");
  return groupId !== undefined && groupId !== row.text("item_id") && row.isTrue("listing_has_variations");
}

const checkUse: RowCheck = (row, findings) => {
  const options = row.object("variant_dict");
  if (options === undefined || options.size === 0 || isVariant(row)) return;
  findings.say("GRP-1", { field: "variant_dict", value: [...options.keys()].join(", ") });
};

const checkOwnGroup: RowCheck = (row, findings) => {
  const groupId = row.text("group_id");
  if (groupId !== undefined && groupId === row.text("item_id"))
    findings.say("GRP-2", {
      field: "group_id",
      value: groupId,
      detail: "The row's group id is its own id, so it is in no group.",
    });
};

const checkOptions: RowCheck = (row, findings) => {
  for (const [name, value] of row.object("variant_dict") ?? []) {
    if (name.trim() === "" || value.trim() === "")
      findings.say("VD", { field: `variant_dict.${name}`, value, detail: "An option is empty." });
    const attribute = ATTRIBUTES.get(wordKey(name));
    const stated = attribute === undefined ? undefined : row.text(attribute);
    if (stated === undefined || stated === value) continue;
    const detail = `The option "${name}" is "${value}", but \`${attribute}\` is not.`;
    findings.say("VD-ATTR", { field: attribute, value: stated, detail });
  }
};

export const VARIANT_CHECKS: readonly RowCheck[] = [checkUse, checkOwnGroup, checkOptions];
