/** What a first look at a source has shown, in lines for people. */
import type { Sampled } from "../pipeline/sync/sample.ts";
import { table } from "./table.ts";

export function sampleLines({ probe, items, rejections, warnings, isWhole }: Sampled): readonly string[] {
  return [
    ...(probe?.facts ?? []).map(({ label, value }) => `${label}: ${value}`),
    ...(probe?.notes ?? []).map((note) => `note: ${note}`),
    ...table(
      ["id", "title", "price", "availability"],
      items.map(({ id, title, price, availability }) => [
        id,
        title.slice(0, 48),
        `${price.amount} ${price.currency}`,
        availability,
      ]),
    ),
    ...rejections.map(({ position, code, message }) => `rejected: item ${position}: ${message} (${code})`),
    ...warnings.map(
      ({ position, code, message }) =>
        `warning: ${position === null ? "" : `item ${position}: `}${message} (${code})`,
    ),
    `${items.length} good, ${rejections.length} rejected, ${warnings.length} warnings in ${isWhole ? "the whole source" : "the first rows"}.`,
  ];
}
