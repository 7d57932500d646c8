/** GET /api/v1/changes: who changed what. */
import { ChangesAnswer, ChangesQuery } from "../../contract/changes.ts";
import { isUuid } from "../../lib/id.ts";
import { badCursor, decodeCursor, encodeCursor } from "../../lib/cursor.ts";
import { changeBody } from "../../setup/changes.ts";
import { listChanges } from "../../store/changes.ts";
import type { Api, ApiDeps } from "../api.ts";
import { DEFAULT_LIMIT } from "../page.ts";
import { problems } from "../responses.ts";

export function changeRoutes(api: Api, { db }: ApiDeps): void {
  api.route({
    method: "GET",
    url: "/changes",
    scope: "read",
    schema: {
      operationId: "listChanges",
      summary: "List changes",
      description:
        "Who changed what in this catalog, newest first: every call and every command that changes something, with the names of what was set and never a value.",
      tags: ["Changes"],
      querystring: ChangesQuery,
      response: { 200: ChangesAnswer, ...problems(400, 401, 403, 429, 503) },
    },
    handler: async ({ caller: { catalogId }, request }) => {
      const { cursor, limit = DEFAULT_LIMIT } = request.query as ChangesQuery;
      const before = cursor === undefined ? {} : { before: idIn(cursor) };
      // One more than asked for tells whether there is another page.
      const found = await listChanges(db, { catalogId, ...before, limit: limit + 1 });
      const rows = found.slice(0, limit);
      const last = found.length > limit ? rows.at(-1) : undefined;
      const next = last ? encodeCursor([last.id]) : null;
      return { body: { data: { changes: rows.map(changeBody), next_cursor: next } } };
    },
  });
}

function idIn(cursor: string): string {
  const [id] = decodeCursor(cursor, ["string"]);
  if (typeof id === "string" && isUuid(id)) return id;
  throw badCursor();
}
