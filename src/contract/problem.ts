/** The body of every error: RFC 9457, with a stable `code` and the id of the request in the log. */
import { Type } from "./type.ts";
import { Exceeded } from "./publish-guard.ts";
import { text, Uuid } from "./shapes.ts";

export const PROBLEM_TYPE = "application/problem+json";

export const Problem = Type.Object(
  {
    type: text("The kind of problem, the same for every problem with this code."),
    title: Type.String(),
    status: Type.Integer(),
    detail: text("What happened here, and what to do about it."),
    instance: Type.Optional(Type.String()),
    code: text("Never changes; docs/errors.md lists them all."),
    request_id: Type.String(),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }), {
        description: "The fields at fault, by JSON pointer.",
      }),
    ),
    run_id: Type.Optional(Uuid),
    suggested_settings: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Settings of the source or file that may help, by name.",
      }),
    ),
    exceeded: Type.Optional(
      Type.Array(Exceeded, {
        description: "With `render_held`: each limit of the publish guard that the new files exceed.",
      }),
    ),
  },
  { title: "Problem" },
);
