/**
 * Reads translated column names by their place, for exports that always have the same columns in the same order (Etsy).
 * The numbers in the names are the same in every language, and the currency codes in the rows prove that the columns
 * are where they should be.
 */
import { isCurrency } from "../../../catalog/currency.ts";
import type { FileHead, Translation } from "./dialect.ts";
import type { SystemDialect } from "./system-table.ts";

export function translationByOrder(
  { order = [] }: Pick<SystemDialect, "order">,
  { header, rows }: FileHead,
): Translation | undefined {
  const names = inFull(order, header.length);
  const isSame =
    header.length === names.length && header.every((raw, at) => numberIn(raw) === numberIn(names[at]));
  const currencies = rows.map((cells) => cells[names.indexOf("currency_code")]?.trim() ?? "");
  if (order.length === 0 || !isSame || currencies.length === 0 || !currencies.every(isCurrency))
    return undefined;
  const places = new Map(header.map((raw, at) => [raw, names[at] ?? ""]));
  return {
    readName: (raw) => ({ name: places.get(raw) ?? "", parts: [], unit: null }),
    isKnown: (raw) => places.has(raw),
  };
}

/** The numbered columns are as many as the file has room for. */
function inFull(order: readonly string[], columns: number): readonly string[] {
  const count = Math.max(0, columns - order.length + 1);
  return order.flatMap((name) =>
    name.includes("#") ? Array.from({ length: count }, (_, at) => name.replace("#", String(at + 1))) : [name],
  );
}

const numberIn = (name = ""): string => name.replace(/\D+/g, "");
