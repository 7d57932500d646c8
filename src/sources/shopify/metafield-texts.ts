/** The texts of the metafields that were asked for, under the fields they fill. The variant's own come first. */
import type { Draft } from "../../catalog/draft.ts";
import { type JsonObject, objectIn, textIn } from "../kit/json.ts";
import type { MetafieldRule } from "./metafields.ts";

export function metafieldTexts(
  rules: readonly MetafieldRule[],
  product: JsonObject,
  variant: JsonObject,
): Draft {
  const draft: Draft = {};
  for (const { field, alias } of rules) {
    const text = readable(
      textIn(objectIn(variant, alias), "value") ?? textIn(objectIn(product, alias), "value"),
    );
    if (text !== undefined) draft[field] ??= text;
  }
  return draft;
}

/** Lists are written as JSON; references to other objects say nothing to a buyer. */
function readable(value: string | undefined): string | undefined {
  if (value === undefined || value.startsWith("gid://")) return undefined;
  if (!value.startsWith("[")) return value;
  const texts = parsedList(value).filter((entry) => typeof entry === "string" && !entry.startsWith("gid://"));
  return texts.length > 0 ? texts.join("/") : undefined;
}

function parsedList(value: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [value];
  }
}
