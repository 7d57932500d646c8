/** The items of a catalog, streamed in feed order. */
import type { Session } from "./db.ts";
import { readTextColumn } from "./copy-binary.ts";
import { isUuid } from "../lib/id.ts";

/** Every item body of the catalog, groups together, in batches. Ends early if the caller stops reading. */
export async function* eachItemBody(session: Session, catalogId: string): AsyncGenerator<readonly string[]> {
  // COPY takes no parameters; a checked UUID cannot carry anything else into the text.
  if (!isUuid(catalogId)) throw new TypeError("a catalog id is a UUID");
  const rows = session.copyOut(
    `copy (select body from items where catalog_id = '${catalogId}' order by sort_key, group_id, id)
       to stdout (format binary)`,
  );
  yield* readTextColumn(rows as AsyncIterable<Buffer>);
}
