/** Looks up a catalog, a source or a render of the command line, or throws that it does not exist. */
import { AppError } from "../errors.ts";
import { isUuid } from "../lib/id.ts";
import { findCatalogBySlug } from "../store/catalogs.ts";
import type { Catalog } from "../store/catalogs.ts";
import type { Db } from "../store/db.ts";
import { findRun } from "../store/runs.ts";
import type { Run } from "../store/runs.ts";
import { findSource } from "../store/sources.ts";
import type { SourceRow } from "../store/sources.ts";

export async function requireCatalog(db: Db, slug: string): Promise<Catalog> {
  const catalog = await findCatalogBySlug(db, slug);
  if (!catalog)
    throw new AppError("not_found", `There is no catalog "${slug}". shelfwire catalog list shows them.`);
  return catalog;
}

export async function requireSource(db: Db, id: string): Promise<SourceRow> {
  const source = isUuid(id) ? await findSource(db, id) : undefined;
  if (!source)
    throw new AppError("unknown_source", `There is no source ${id}. shelfwire source list shows them.`);
  return source;
}

export async function requireRender(db: Db, id: string): Promise<Run> {
  const run = isUuid(id) ? await findRun(db, id) : undefined;
  if (run?.kind !== "render")
    throw new AppError(
      "not_found",
      `There is no render ${id}. shelfwire renders list --catalog … shows them.`,
    );
  return run;
}
