/** The refusals a call may answer with, for the OpenAPI document and the serializer. */
import { STATUS_CODES } from "node:http";
import { Type } from "typebox";
import { PROBLEM_TYPE } from "../contract/problem.ts";

export function problems(...statuses: readonly number[]) {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: STATUS_CODES[status] ?? "Refused",
        content: { [PROBLEM_TYPE]: { schema: Type.Ref("Problem") } },
      },
    ]),
  );
}
