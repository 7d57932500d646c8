/** What the readers of several shop systems' JSON share. */
import { isJsonObject, type JsonObject } from "../../lib/json-object.ts";

export type NamedPrice = readonly [name: string, price: string | undefined];

export const byCurrency = (price: string | undefined): NamedPrice => [price?.split(" ")[1] ?? "", price];

/** The only price, or each of several under the name of its currency or channel, if that has one price. */
export function pricesOf(found: readonly NamedPrice[]): JsonObject {
  const prices = new Set(found.map(([, price]) => price));
  const [price] = prices;
  if (prices.size === 1) return { price };
  const names = Map.groupBy(found, ([name]) => name);
  return Object.fromEntries(
    [...names].flatMap(([name, [first, ...others]]) =>
      name === "" || others.length > 0 ? [] : [[`Price in ${name}`, first?.[1]]],
    ),
  );
}

export function availabilityOf(isOnStock: unknown): string | undefined {
  if (typeof isOnStock !== "boolean") return undefined;
  return isOnStock ? "in stock" : "out of stock";
}

export const isWhole = (amount: unknown): boolean => /^\d+$/.test(String(amount));

export function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
