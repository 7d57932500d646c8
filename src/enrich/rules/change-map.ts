/** The action map: a table from values of one field to values of another, or of the same. */
import type { RuleAction } from "../../contract/rules.ts";
import type { CatalogSettings } from "../../catalog/settings.ts";
import { allOf, type Change, constantChange, pointerPart } from "./change.ts";
import { publishableField } from "./field-names.ts";
import type { RuleField } from "./fields.ts";
import { fold, foldPath } from "./fold.ts";
import { RuleError } from "./problem.ts";
import type { Write } from "./write.ts";

export function mapChange(
  field: RuleField,
  { from = "", table = {}, otherwise }: RuleAction,
  settings: CatalogSettings,
): Change {
  const other = publishableField(from, "/action/from");
  const writes = new Map<string, Write>();
  for (const [key, value] of Object.entries(table)) {
    const write = constantChange(field, value, `/action/table/${pointerPart(key)}`, settings);
    writes.set(other.kind === "paths" ? foldPath(key) : fold(key), write);
  }
  if (writes.size === 0)
    throw new RuleError("no_effect", "/action/table", "The table is empty. Add entries.");
  const fallback =
    otherwise === undefined ? undefined : constantChange(field, otherwise, "/action/otherwise", settings);
  return (item, source) => {
    for (const text of allOf(other.read(item, source))) {
      const write = entryOf(writes, text.toLowerCase(), other.kind === "paths");
      if (write !== undefined) return write(item);
    }
    return fallback === undefined ? item : fallback(item);
  };
}

function entryOf(writes: ReadonlyMap<string, Write>, key: string, isPath: boolean): Write | undefined {
  const exact = writes.get(key);
  if (exact !== undefined || !isPath) return exact;
  for (let end = key.lastIndexOf(" > "); end > 0; end = key.lastIndexOf(" > ", end - 1)) {
    const above = writes.get(key.slice(0, end));
    if (above !== undefined) return above;
  }
  return undefined;
}
