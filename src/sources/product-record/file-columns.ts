/** How the columns of one file are read: by the alias tables, and by what the merchant set for this source. */
import { type ColumnMapping, columnKey, mappedNames } from "./column-mapping.ts";
import { type ColumnPlan, planColumns } from "./columns.ts";
import { type ReadName, readHeader } from "./header.ts";
import type { LinkTemplate } from "./link-template.ts";
import { textOf } from "./value.ts";

export type FileColumns = {
  readonly mapping: ColumnMapping;
  readonly linkTemplate: LinkTemplate | null;
};

export const NO_COLUMN_SETTINGS: FileColumns = { mapping: new Map(), linkTemplate: null };

/** The plan for columns of these names. `otherwise` reads the names that are not mapped. */
export function planFile(
  names: readonly string[],
  { mapping, linkTemplate }: FileColumns,
  otherwise: ReadName = readHeader,
): ColumnPlan {
  const plan = planColumns(names.map(mappedNames(mapping, otherwise)));
  if (linkTemplate === null) return plan;
  const columns = new Map(names.map((name, index) => [columnKey(name), index] as const).toReversed());
  return {
    has: (field) => field === "link" || plan.has(field),
    map: (cells) => {
      const draft = plan.map(cells);
      const link = linkTemplate.fill((key) => textOf(cells[columns.get(key) ?? -1] ?? ""));
      if (link !== undefined) draft.link = link;
      return draft;
    },
  };
}

/** Names that the settings use and the file does not have, as the settings spell them or fold them. */
export function missingNames(names: readonly string[], { mapping, linkTemplate }: FileColumns): string[] {
  const known = new Set(names.map(columnKey));
  const mapped = [...mapping.keys()].filter((key) => !known.has(key));
  const placeholders = (linkTemplate?.names ?? []).filter((name) => !known.has(columnKey(name)));
  return [...new Set([...mapped, ...placeholders])];
}

/** The names without those that the link template uses. */
export function namesOutsideTemplate(
  names: readonly string[],
  { linkTemplate }: FileColumns,
): readonly string[] {
  const used = new Set((linkTemplate?.names ?? []).map(columnKey));
  return used.size === 0 ? names : names.filter((name) => !used.has(columnKey(name)));
}
