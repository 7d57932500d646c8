/** The changes resource: who changed what, and when. */
import { Type } from "./type.ts";
import { RunStatus } from "./syncs.ts";
import { Data, DateTime, NextCursor, Nullable, text, Uuid } from "./shapes.ts";

const Change = Type.Object(
  {
    id: Uuid,
    at: DateTime,
    by: Type.Object({
      kind: Type.Enum(["key", "cli"], { description: "An API key, or a command on the server." }),
      name: text("The key's name at that time, or the user who ran the command."),
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
    run_status: Type.Union([RunStatus, Type.Null()], {
      description: "Of the run that the call started. If it `failed`, nothing was changed.",
    }),
    request_id: Nullable(text("`x-request-id` of the call.")),
  },
  { title: "Change" },
);

export const ChangesAnswer = Data(
  Type.Object({ changes: Type.Array(Change), next_cursor: NextCursor }),
  "A page of changes, newest first.",
);
