/** The changes resource: who changed what, and when. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { Cursor, Data, DateTime, Limit, NextCursor, Nullable, Uuid } from "./shapes.ts";

export const ChangesQuery = Type.Object({ cursor: Cursor, limit: Limit }, { additionalProperties: false });
export type ChangesQuery = Static<typeof ChangesQuery>;

const Change = Type.Object({
  id: Uuid,
  at: DateTime,
  by: Type.Object({
    kind: Type.Enum(["key", "cli"], { description: "An API key, or a command on the server." }),
    name: Type.String({ description: "The key's name at that time, or the user who ran the command." }),
    key_id: Nullable(Uuid),
    key: Nullable(Type.String({ description: "How the key begins.", examples: ["sw_3kTq0ZbW1xYc_…"] })),
  }),
  call: Type.String({
    description: "Method and route, or the command.",
    examples: ["PATCH /api/v1/sources", "source update"],
  }),
  target: Type.Object({
    type: Type.String({ examples: ["source"] }),
    id: Nullable(Type.String()),
    fields: Type.Array(Type.String(), {
      description: "The names of what was set. Values are not kept.",
      examples: [["name", "settings.url"]],
    }),
  }),
  run_id: Nullable(Uuid),
  request_id: Nullable(Type.String({ description: "`x-request-id` of the call." })),
});

export const ChangesAnswer = Data(Type.Object({ changes: Type.Array(Change), next_cursor: NextCursor }));
