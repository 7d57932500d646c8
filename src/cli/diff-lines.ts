/** A comparison of two renders in lines. */
import type {
  Between,
  Cause,
  ComparedItem,
  ComparisonHead,
  ComparisonTotals,
  Difference,
} from "../contract/comparisons.ts";
import { counted } from "../lib/counted.ts";
import type { ComparisonFilter } from "../pipeline/publication/comparison/comparison.ts";

export function headLines({ before, after, between }: ComparisonHead): readonly string[] {
  return [
    `before  ${before.run_id}  ${before.rendered_at}  ${counted(before.items, "item")}`,
    `after   ${after.run_id}  ${after.rendered_at}  ${counted(after.items, "item")}`,
    `Between them: ${betweenText(between)}.`,
    "",
  ];
}

function betweenText({ runs, rule_versions: versions, ...between }: Between): string {
  const facts = [
    ...(runs.length > 0 ? [counted(runs.length, "sync or push", "syncs and pushes")] : []),
    ...(versions.length > 0 ? [`rules ${versions.map((version) => `version ${version}`).join(", ")}`] : []),
    ...(between.category_mappings ? ["category mappings"] : []),
    ...(between.decisions > 0
      ? [counted(between.decisions, "decision about a value", "decisions about values")]
      : []),
    ...(between.settings.length > 0 ? [`settings ${between.settings.join(", ")}`] : []),
    ...(between.renderer ? ["another version of Shelfwire"] : []),
  ];
  return facts.length === 0 ? "nothing but time" : facts.join("; ");
}

const SIGNS = { added: "+", removed: "-", changed: "~" } as const;

/** Equal differences of several files are one line. */
export function itemLines({ item_id: id, change, differences }: ComparedItem): readonly string[] {
  const alike = Map.groupBy(differences, ({ field, change: kind, before, after, cause }) =>
    JSON.stringify([field, kind, before, after, cause]),
  );
  const lines = [...alike.values()].flatMap((same) => {
    const [first] = same;
    return first
      ? [
          `    ${differenceText(first)}  (${same.map(({ file }) => file).join(", ")}; ${causeText(first.cause)})`,
        ]
      : [];
  });
  return [`${SIGNS[change]} ${id}`, ...lines];
}

function differenceText({ field, change, before, after }: Difference): string {
  if (field === null) return change === "added" ? "now in the file" : "no longer in the file";
  return `${field}: ${before === null ? "(none)" : shown(before)} → ${after === null ? "(none)" : shown(after)}`;
}

/** Of a value in a line. */
const LONGEST = 80;

function shown(value: string): string {
  const line = value.replaceAll(/\s+/g, " ");
  return line.length > LONGEST ? `${line.slice(0, LONGEST).toWellFormed()}…` : line;
}

function causeText({ kind, run_id: run, version, proposal_id: proposal, item_id: other }: Cause): string {
  const what = [
    ...(run === undefined ? [] : [`run ${run}`]),
    ...(version === undefined ? [] : [`version ${version}`]),
    ...(proposal === undefined ? [] : [`proposal ${proposal}`]),
    ...(other === undefined ? [] : [`of item ${other}`]),
  ];
  return [kind, ...what].join(" ");
}

export function totalLines(
  { items, differences, by_cause: causes, listed }: ComparisonTotals,
  { limit = Infinity }: ComparisonFilter,
): readonly string[] {
  const { added, removed, changed, unchanged } = items;
  const found = Object.entries(causes).filter(([, count]) => count > 0);
  const byCause = found.map(([cause, count]) => `${count} ${cause}`).join(", ");
  const all = added + removed + changed;
  return [
    ...(listed >= limit && listed < all ? [`… ${listed} of ${all} are listed; --limit lists more.`] : []),
    ...(listed > 0 ? [""] : []),
    `${counted(added, "item")} added, ${removed} removed, ${changed} changed, ${unchanged} unchanged.`,
    `${counted(differences, "difference")}${byCause === "" ? "" : `: ${byCause}`}.`,
  ];
}
