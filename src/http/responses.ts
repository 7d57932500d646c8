/** The error responses of a call, for the OpenAPI document and the serializer. */
import { PROBLEM_TYPE, Problem } from "../contract/problem.ts";

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: "The request is malformed; `errors` names the fields.",
  401: "The API key is missing or unknown.",
  403: "The API key lacks the scope that this call needs.",
  404: "It does not exist in this catalog.",
  409: "A conflicting operation is running. Try again later.",
  413: "The body is too large.",
  415: "The body has a type or an encoding that this call does not accept.",
  422: "The request is valid but cannot be processed; `detail` says why.",
  429: "Too many calls. `Retry-After` says when to try again.",
  503: "The database is down or the server is stopping. `Retry-After` says when to try again.",
};

export function problemResponses(statuses: readonly number[]) {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: DESCRIPTIONS[status] ?? "The request is refused.",
        content: { [PROBLEM_TYPE]: { schema: Problem } },
      },
    ]),
  );
}
