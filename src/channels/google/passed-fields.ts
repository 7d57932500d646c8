/** The columns for values that only Google uses, derived from the table of those attributes. */
import { GOOGLE_COLUMNS, GOOGLE_TABLE, type GoogleColumn } from "../../catalog/google-attributes.ts";
import type { GoogleAttribute, GoogleForm, GoogleFormKind } from "../../catalog/google-form.ts";
import { GOOGLE_LIMITS } from "../../catalog/google-limits.ts";
import { cut, drop, type Field } from "../kit/field-table.ts";

/** The kind of a column for one value of an attribute's form. */
const FORM_KINDS = {
  text: "text",
  code: "text",
  country: "text",
  clock: "text",
  gtin: "text",
  url: "url",
  money: "money",
  word: "word",
  flag: "flag",
  number: "number",
  decimal: "decimal",
  time: "time",
  interval: "interval",
} as const satisfies Record<GoogleFormKind, string>;

/** Remarks for a reader of the documentation that go beyond the form of an attribute. */
const GOOGLE_NOTES: { readonly [Name in GoogleColumn]?: string } = {
  structured_title: "Stands instead of `title`, which is then empty here.",
  structured_description: "Stands instead of `description`, which is then empty here.",
  pause: "For Google alone: the other files still have the item.",
  excluded_destination: "For Google alone: the other files still have the item.",
  included_destination: "For Google alone: the other files still have the item.",
  cost_of_goods_sold: "In no other file.",
  auto_pricing_min_price: "In no other file.",
};

type PassedField = Field & {
  readonly kind: (typeof FORM_KINDS)[GoogleFormKind] | "list" | "groups";
};

function passedField(name: GoogleColumn): PassedField {
  const attribute: GoogleAttribute = GOOGLE_TABLE[name];
  const note = GOOGLE_NOTES[name];
  const source = `As the source gives it.${note === undefined ? "" : ` ${note}`}`;
  const requirement = "optional";
  if (attribute.shape === "groups") {
    const { most, parts, longest } = attribute;
    const partLimits = Object.fromEntries(
      Object.entries(parts).flatMap(([part, { form }]) =>
        form.longest === undefined ? [] : [[part, form.longest] as const],
      ),
    );
    const total = longest === undefined ? {} : { total: longest };
    const names = Object.keys(parts);
    const requiredParts = names.filter((part) => parts[part]?.isRequired);
    return { kind: "groups", requirement, source, parts: names, requiredParts, partLimits, most, ...total };
  }
  const { form } = attribute;
  const more = { ...limitOfForm(form), ...(form.values === undefined ? {} : { values: form.values }) };
  if (attribute.shape === "list") return { kind: "list", requirement, source, most: attribute.most, ...more };
  return { kind: FORM_KINDS[form.kind], requirement, source, ...more };
}

function limitOfForm({ kind, longest }: GoogleForm): Pick<Field, "limit"> {
  if (kind === "url") return { limit: drop(GOOGLE_LIMITS.url) };
  if (longest === undefined) return {};
  return { limit: kind === "text" ? cut(longest) : drop(longest) };
}

export const PASSED_FIELDS = Object.fromEntries(GOOGLE_COLUMNS.map((name) => [name, passedField(name)])) as {
  readonly [Name in GoogleColumn]: PassedField;
};
