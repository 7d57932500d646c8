/** GET /api/v1/changes: who changed what. */
import { ChangesAnswer } from "../../contract/changes.ts";
import { DEFAULT_LIMIT, PageQuery } from "../../contract/shapes.ts";
import { isUuid } from "../../lib/id.ts";
import { badCursor, decodeCursor, pageOf } from "../../lib/cursor.ts";
import { changeBody } from "../../setup/changes.ts";
import { listChanges } from "../../store/changes.ts";
import type { Api, ApiDeps } from "../api.ts";

export function changeRoutes(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/changes",
    scope: "read",
    operationId: "listChanges",
    summary: "List changes",
    description:
      "Who changed what in this catalog, newest first: every call and every command that changes something, with the names of what was set and never a value.",
    query: PageQuery,
    answers: { 200: ChangesAnswer },
    handler: async ({ caller: { catalogId }, query: { cursor, limit = DEFAULT_LIMIT } }) => {
      const before = cursor === undefined ? {} : { before: parseCursor(cursor) };
      const rows = await listChanges(db, { catalogId, ...before, limit: limit + 1 });
      const { page, nextCursor } = pageOf(rows, limit, ({ id }) => [id]);
      return { body: { data: { changes: page.map(changeBody), next_cursor: nextCursor } } };
    },
  });
}

function parseCursor(cursor: string): string {
  const [id] = decodeCursor(cursor, ["string"]);
  if (typeof id === "string" && isUuid(id)) return id;
  throw badCursor();
}
