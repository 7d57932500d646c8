/** The result of a source test in lines. */
import { counted } from "../lib/counted.ts";
import { fieldText, priceQuestion } from "../sources/feed-url/suggestion.ts";
import type { Sampled } from "../pipeline/sync/sample.ts";
import { table } from "./table.ts";

export function sampleLines(sampled: Sampled): readonly string[] {
  const { probe, items, rejections, warnings, suggestion, isWhole } = sampled;
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
    ...suggestionLines(suggestion),
    `${items.length} good, ${rejections.length} rejected, ${counted(warnings.length, "warning")} in ${isWhole ? "the whole source" : "the first rows"}.`,
    ...forecastLines(sampled),
  ];
}

/**
 * What the destination of each file would refuse. Files with the same refusals, such as the two for OpenAI, share their
 * lines.
 */
function forecastLines({ feeds, items }: Sampled): readonly string[] {
  const refusing = feeds.filter(({ excluded, refused }) => excluded + refused > 0);
  const byReasons = Map.groupBy(refusing, ({ reasons }) => JSON.stringify(reasons));
  return [...byReasons.values()].flatMap((files) => {
    const names = files.map(({ file }) => file).join(", ");
    const [{ excluded, refused, reasons } = { excluded: 0, refused: 0, reasons: [] }] = files;
    const outcome = excluded === 0 ? "would be refused" : "would be refused or left out";
    return [
      `${names}: ${excluded + refused} of ${counted(items.length, "item")} ${outcome}.`,
      ...reasons.map(({ code, count, message }) => `  ${count} × ${code}: ${message}`),
    ];
  });
}

/** Settings to paste, as options of `source update`. */
function suggestionLines(suggestion: Sampled["suggestion"]): readonly string[] {
  if (suggestion === null) return [];
  const { columns, fields, prices, link_template: template } = suggestion;
  const settings = [
    ...(columns === "" ? [] : [setting("columns", columns.replaceAll("\n", "; "))]),
    ...(template === null ? [] : [setting("link_template", template)]),
  ];
  return [
    `No column gives: ${suggestion.missing.join(", ")}. ${settings.length === 0 ? "Set columns: --set columns='Their name = our_name'" : "Check each of these settings, then set it:"}`,
    ...settings,
    ...fields.map((field) => `  ${fieldText(field)}`),
    ...priceQuestion(prices, suggestion.seen),
  ];
}

function setting(name: string, value: string): string {
  return `  --set ${name}='${value.replaceAll("'", String.raw`'\''`)}'`;
}
