/** How many points of the catalog's score one point of an item's own is. */
import { findCatalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { auditContext } from "../audit/pass.ts";

export async function findPointShare(db: Queries, catalogId: string): Promise<number> {
  const catalog = await findCatalog(db, catalogId);
  if (!catalog) return 0;
  const { rejected } = await auditContext(db, catalog, new Date());
  // Each rejected row counts as an item without points.
  const counted = catalog.itemCount + (rejected?.count ?? 0);
  return counted === 0 ? 0 : 1 / counted;
}
