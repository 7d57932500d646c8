/** The result of a source test in lines. */
import { counted } from "../lib/counted.ts";
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

/** What each file would exclude. Files with the same exclusions, such as the two for OpenAI, share their lines. */
function forecastLines({ feeds, items }: Sampled): readonly string[] {
  const lossy = feeds.filter(({ excluded }) => excluded > 0);
  const byReasons = Map.groupBy(lossy, ({ reasons }) => JSON.stringify(reasons));
  return [...byReasons.values()].flatMap((files) => {
    const names = files.map(({ file }) => file).join(", ");
    const [{ written, reasons } = { written: 0, reasons: [] }] = files;
    return [
      `${names}: ${written} of ${counted(items.length, "item")} would be written.`,
      ...reasons.map(({ code, count, message }) => `  ${count} excluded: ${message} (${code})`),
    ];
  });
}

/** Settings to paste, as options of `source update`. */
function suggestionLines(suggestion: Sampled["suggestion"]): readonly string[] {
  if (suggestion === null) return [];
  const { columns, link_template: template } = suggestion;
  const settings = [
    ...(columns === "" ? [] : [setting("columns", columns.replaceAll("\n", "; "))]),
    ...(template === null ? [] : [setting("link_template", template)]),
  ];
  return [
    `No column gives: ${suggestion.missing.join(", ")}. ${settings.length === 0 ? "Set columns: --set columns='Their name = our_name'" : "Check each of these settings, then set it:"}`,
    ...settings,
  ];
}

function setting(name: string, value: string): string {
  return `  --set ${name}='${value.replaceAll("'", String.raw`'\''`)}'`;
}
