/** The report of a dry run in lines. */
import type { ChangedItem, NamedItem, SyncPlan } from "../contract/plans.ts";
import type { SyncStats } from "../contract/syncs.ts";
import { counted } from "../lib/counted.ts";
import { syncLines } from "./sync-lines.ts";
import { table } from "./table.ts";

export function figureLines({
  before,
  after,
  gain,
}: Pick<SyncPlan, "before" | "after" | "gain">): readonly string[] {
  const rows = Object.entries(after.files).map(([file, { written, excluded, refused }]) => [
    file,
    `${before.files[file]?.written ?? 0} → ${written}`,
    `${before.files[file]?.refused ?? 0} → ${refused}`,
    `${before.files[file]?.excluded ?? 0} → ${excluded}`,
  ]);
  return [
    `Score ${before.score ?? "none"} → ${after.score ?? "none"} (${gain >= 0 ? "+" : ""}${gain.toFixed(2)} points)`,
    ...table(["file", "rows", "will be refused", "left out"], rows),
  ];
}

export const changeLines = (examples: readonly ChangedItem[]): readonly string[] =>
  examples.flatMap(({ item_id: id, changes }) =>
    changes.map(
      (change) => `${id}: ${change.field}: ${change.before ?? "(empty)"} → ${change.after ?? "(empty)"}`,
    ),
  );

export function syncPlanLines(stats: SyncStats, plan: SyncPlan): readonly string[] {
  const [first = "", ...findings] = syncLines(stats);
  return [
    `Dry run, nothing was stored. ${first}`,
    ...findings,
    `${counted(plan.new_items, "new item")}, ${counted(plan.changed_items, "changed item")}, ${counted(stats.removed, "removed item")}.`,
    ...figureLines(plan),
    ...findingLines(plan),
    ...guardLines(plan),
    ...changeLines(plan.examples),
    ...plan.new_examples.map(named("new")),
    ...plan.removed_examples.map(named("removed")),
  ];
}

export function guardLines({ guard }: Pick<SyncPlan, "guard">): readonly string[] {
  if (guard === null) return [];
  if (!guard.held && guard.exceeded.length > 0)
    return [
      "It exceeds these limits of the publish guard, which does not hold your own changes:",
      ...guard.exceeded.map(({ message }) => `  ${message}`),
    ];
  if (!guard.held) return ["The publish guard would publish it."];
  return [
    "The publish guard would hold the render, and the published files would stay:",
    ...guard.exceeded.map(({ message }) => `  ${message}`),
  ];
}

const named =
  (what: string) =>
  ({ item_id: id, title }: NamedItem): string =>
    `${id}: ${what}: ${title}`;

/** Rules whose number of items changes. */
function findingLines({ before, after }: Pick<SyncPlan, "before" | "after">): readonly string[] {
  const rules = [...new Set([...Object.keys(before.findings), ...Object.keys(after.findings)])].sort();
  return rules.flatMap((rule) => {
    const [was, is] = [before.findings[rule] ?? 0, after.findings[rule] ?? 0];
    return was === is ? [] : [`Finding ${rule}: ${was} → ${counted(is, "item")}`];
  });
}
