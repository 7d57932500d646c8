/** The body of every refusal and failure: RFC 9457, with a stable `code` and the id the log knows it by. */
import { Type } from "typebox";
import { Uuid } from "./shapes.ts";

export const PROBLEM_TYPE = "application/problem+json";

export const Problem = Type.Object(
  {
    type: Type.String({
      description: "Names the kind of problem; the same for every problem with this code.",
    }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: "What happened here, and what to do about it." }),
    instance: Type.Optional(Type.String()),
    code: Type.String({ description: "Never changes; docs/errors.md lists them all." }),
    request_id: Type.String(),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }), {
        description: "The fields at fault, by JSON pointer.",
      }),
    ),
    run_id: Type.Optional(Uuid),
  },
  { title: "Problem" },
);
