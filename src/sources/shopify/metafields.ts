/**
 * Which metafields of a shop fill which fields of an item. Every shop keeps its own, so the owner names them, one
 * `field = namespace.key` a line; a namespace alone stands for the attributes Google's channel keeps in it.
 */
import type { TextField } from "../../catalog/draft.ts";
import { FEED_ATTRIBUTES } from "../kit/feed-attributes.ts";

export type MetafieldRule = {
  readonly field: TextField;
  readonly namespace: string;
  readonly key: string;
  /** Codes that tell variants apart are looked for on the variant first. */
  readonly isOfVariant: boolean;
  /** Its name in our queries and in the answers to them. */
  readonly alias: string;
};

/** What the Google channel keeps under keys of the same names. */
const GOOGLE_KEYS = [
  "google_product_category",
  "gender",
  "age_group",
  "condition",
  "mpn",
  "size_system",
  "size_type",
  "custom_label_0",
  "custom_label_1",
  "custom_label_2",
  "custom_label_3",
  "custom_label_4",
] as const satisfies readonly (keyof typeof FEED_ATTRIBUTES)[];

/** Every one of them is asked for with every product, and has its price in points. */
const MOST_RULES = 30;

const NAMESPACE = /^[\w$:-]{2,255}$/;
const ENTRY = /^(\w+)\s*=\s*([\w$:-]{2,255})\.([\w-]{2,64})$/;
const OF_VARIANT = new Set<TextField>(["mpn", "gtin"]);

export type ParsedMetafields =
  | { readonly kind: "valid"; readonly rules: readonly MetafieldRule[] }
  | { readonly kind: "invalid"; readonly detail: string };

export function parseMetafields(text: string): ParsedMetafields {
  const entries = text.split(/[\n,]/).flatMap((entry) => (entry.trim() === "" ? [] : [entry.trim()]));
  if (entries.length === 1 && entries[0] === "none") return { kind: "valid", rules: [] };
  const rules: Omit<MetafieldRule, "alias">[] = [];
  for (const entry of entries) {
    const found = readEntry(entry);
    if (typeof found === "string") return { kind: "invalid", detail: found };
    rules.push(...found);
  }
  if (rules.length > MOST_RULES) {
    return { kind: "invalid", detail: `Must not name more than ${MOST_RULES} metafields.` };
  }
  return { kind: "valid", rules: rules.map((rule, index) => ({ ...rule, alias: `metafield${index}` })) };
}

function readEntry(entry: string): Omit<MetafieldRule, "alias">[] | string {
  if (NAMESPACE.test(entry)) return GOOGLE_KEYS.map((key) => rule(key, entry, key));
  const [, name = "", namespace = "", key = ""] = ENTRY.exec(entry) ?? [];
  if (name === "") return `"${entry}" must read "field = namespace.key", or be a namespace.`;
  if (isTarget(name)) return [rule(name, namespace, key)];
  return `There is no field "${name}"; there are: ${Object.keys(FEED_ATTRIBUTES).join(", ")}.`;
}

function rule(
  target: keyof typeof FEED_ATTRIBUTES,
  namespace: string,
  key: string,
): Omit<MetafieldRule, "alias"> {
  const field = FEED_ATTRIBUTES[target];
  return { field, namespace, key, isOfVariant: OF_VARIANT.has(field) };
}

function isTarget(name: string): name is keyof typeof FEED_ATTRIBUTES {
  return Object.hasOwn(FEED_ATTRIBUTES, name);
}
