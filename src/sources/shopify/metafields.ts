/**
 * Which metafields of a shop fill which fields of an item. Every shop has its own, so the merchant lists them, one
 * `field = namespace.key` per line. A namespace alone stands for the attributes that the Google channel stores in it.
 */
import type { JsonObject } from "../../lib/json-object.ts";
import type { Draft, TextField } from "../../catalog/draft.ts";
import { FEED_ATTRIBUTES } from "../kit/feed-attributes.ts";
import { objectIn, textIn } from "../kit/json.ts";

export type MetafieldRule = {
  readonly field: TextField;
  readonly namespace: string;
  readonly key: string;
  /** Codes that identify a variant are read from the variant first. */
  readonly isOfVariant: boolean;
  /** Its name in our queries and in their answers. */
  readonly alias: string;
};

/** What the Google channel stores under keys of the same names. */
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

/** Each of them is requested with every product and adds to the cost of the query. */
const MAX_RULES = 30;

const NAMESPACE = /^[\w$:-]{2,255}$/;
const ENTRY = /^(\w+)\s*=\s*([\w$:-]{2,255})\.([\w-]{2,64})$/;
const OF_VARIANT = new Set<TextField>(["mpn", "gtin"]);

/** The rules, or what is wrong with the text. */
export function parseMetafields(text: string): readonly MetafieldRule[] | string {
  const entries = text.split(/[\n,]/).flatMap((entry) => (entry.trim() === "" ? [] : [entry.trim()]));
  if (entries.length === 1 && entries[0] === "none") return [];
  const rules: Omit<MetafieldRule, "alias">[] = [];
  for (const entry of entries) {
    const parsed = parseEntry(entry);
    if (typeof parsed === "string") return parsed;
    rules.push(...parsed);
  }
  if (rules.length > MAX_RULES) return `Must not list more than ${MAX_RULES} metafields.`;
  return rules.map((rule, index) => ({ ...rule, alias: `metafield${index}` }));
}

function parseEntry(entry: string): Omit<MetafieldRule, "alias">[] | string {
  if (NAMESPACE.test(entry)) return GOOGLE_KEYS.map((key) => ruleOf(key, entry, key));
  const [, name = "", namespace = "", key = ""] = ENTRY.exec(entry) ?? [];
  if (name === "") return `"${entry}" must have the form "field = namespace.key", or be a namespace.`;
  if (isAttribute(name)) return [ruleOf(name, namespace, key)];
  return `There is no field "${name}"; there are: ${Object.keys(FEED_ATTRIBUTES).join(", ")}.`;
}

function ruleOf(attribute: keyof typeof FEED_ATTRIBUTES, namespace: string, key: string) {
  const field = FEED_ATTRIBUTES[attribute];
  return { field, namespace, key, isOfVariant: OF_VARIANT.has(field) };
}

function isAttribute(name: string): name is keyof typeof FEED_ATTRIBUTES {
  return Object.hasOwn(FEED_ATTRIBUTES, name);
}

/** The fields that metafields fill. Those of the variant come first. */
export function metafieldFields(
  rules: readonly MetafieldRule[],
  product: JsonObject,
  variant: JsonObject,
): Draft {
  const draft: Draft = {};
  for (const { field, alias } of rules) {
    const value = [variant, product].map((node) => textIn(objectIn(node, alias), "value")).find(Boolean);
    const text = value === undefined ? undefined : textOf(value);
    if (text !== undefined) draft[field] ??= text;
  }
  return draft;
}

/** Lists are JSON. References to other objects are ids, which mean nothing to a buyer. */
function textOf(value: string): string | undefined {
  const texts = listOf(value).filter((entry) => typeof entry === "string" && !entry.startsWith("gid://"));
  return texts.length > 0 ? texts.join("/") : undefined;
}

function listOf(value: string): readonly unknown[] {
  if (!value.startsWith("[")) return [value];
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [value];
  }
}
