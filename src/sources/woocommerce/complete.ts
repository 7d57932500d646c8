/** Pages with what the shop says about their rows elsewhere: see `Dialect.complete`. */
import type { Dialect, RowKind } from "./dialect.ts";
import type { Listed } from "./walk.ts";

export async function* completePages(
  pages: AsyncGenerator<readonly Listed[], void, void>,
  dialect: Dialect,
  kind: RowKind,
): AsyncGenerator<readonly Listed[], void, void> {
  for await (const page of pages) yield await completePage(page, dialect, kind);
}

export async function completePage(
  page: readonly Listed[],
  { complete }: Dialect,
  kind: RowKind,
): Promise<readonly Listed[]> {
  const whole = page.flatMap((listed) => (listed.kind === "row" ? [listed.row] : []));
  const rows = (await complete(whole, kind)).values();
  return page.map((listed) =>
    listed.kind === "row" ? { ...listed, row: rows.next().value ?? listed.row } : listed,
  );
}
